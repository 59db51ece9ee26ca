"""The eighth voice's English: a friendly receptionist in Nairobi who writes plainly and warmly on WhatsApp."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

ENGLISH: Bank = {
    "greet": (
        "Hi there, you've reached Salon Amani and we're glad you texted.",
        "Hello dear, this is the front desk at Salon Amani.",
        "Hey, welcome to Salon Amani, it's good to hear from you 💇🏾‍♀️",
    ),
    "ask_service": (
        "What can I put you down for today?",
        "What can we do for you at the salon?",
        "Which of our services are you interested in?",
    ),
    "ask_kind": (
        "Here we do {options}. Which one do you have in mind?",
        "There's {options}. Which one suits you best?",
        "Were you thinking about {options}?",
    ),
    "price": (
        "{Service} {be} going for {price} here.",
        "The price of {service} with us is {price}.",
        "You'd pay {price} for {service}.",
    ),
    "price_list": (
        "Here are a few of our prices to give you an idea: {options}.",
        "To give you an idea of what we charge, {options}.",
    ),
    "ask_day": (
        "Which day are you hoping to come in?",
        "What day would you like to visit the salon?",
        "When would be a good day for you?",
    ),
    "ask_time": (
        "For {day}, we still have {slots}. Which of these times suits you?",
        "I can see {slots} open on {day}. What time should I write down for you?",
        "{day} is good, the open times are {slots}. Which one should I keep for you?",
    ),
    "ask_time_one": (
        "{day} has just {slots} still open. Can I put you in for that?",
        "We are left with {slots} on {day}. Does that time suit you?",
    ),
    "suggest_time": (
        "How about {slots} on {day}?",
        "I could fit you in at {slots} on {day}. Would you be okay with that?",
    ),
    "taken": (
        "Oh, I'm sorry, another client has {time}.",
        "So sorry, {time} is already gone.",
        "Sorry about that, {time} is already booked by another client.",
    ),
    "full": (
        "Sorry dear, {day} is all booked up.",
        "I'm so sorry, every chair is taken on {day}.",
    ),
    "closed": (
        "Sorry dear, we rest on Sundays.",
        "Sunday is our day off, I'm sorry about that.",
    ),
    "not_then": (
        "Sorry dear, nothing is open around that time.",
        "I'm so sorry, we can't fit you in at that time.",
    ),
    "ask_name": (
        "What name should I write down for you?",
        "Who am I making this booking for?",
        "Please share your name with me so I can book, what should I call you?",
    ),
    "confirm": (
        "You're all booked{vocative}. We'll do your {service} on {day} at {time}, and the total is {price}.",
        "Done{vocative}! I've put you down for {service} on {day} at {time}. It will cost {price}.",
        "Lovely{vocative}, we've kept {day} at {time} for your {service}. The price will be {price}.",
    ),
    "ask_payment": (
        "Would you like to pay with M-Pesa today, or when you're here?",
        "How would you like to pay, by M-Pesa now or here at the salon?",
        "Shall we do M-Pesa now, or will you pay once you're at the salon?",
    ),
    "push": (
        "I've just sent a payment request of {price} to {phone}. Put in your M-Pesa PIN only on your own phone, then tell me when it's done.",
        "Please check {phone} for an M-Pesa request of {price}. If all looks right, confirm it on your phone and tell me here.",
        "There's an M-Pesa request for {price} on its way to {phone}. Confirm it on your phone whenever you're ready and let me know.",
    ),
    "push_again": (
        "Okay, I've sent a new M-Pesa request to {phone}.",
        "No worries, another request is on its way to {phone}.",
    ),
    "push_failed": (
        "Sorry, M-Pesa isn't working well for us right now. You can simply pay {price} here with us.",
        "The M-Pesa request didn't go through, sorry. It's fine to pay the {price} when you get here.",
    ),
    "push_wait": (
        "I can't see the payment on our side yet. Take your time, and tell me when you've confirmed it on your phone.",
        "Nothing has reached us so far, and that's okay. Message me once you've confirmed it on your phone.",
    ),
    "paid": (
        "Your {price} has reached us, thank you dear. The M-Pesa receipt reads {receipt}.",
        "We've got your {price}, and the receipt number is {receipt}. Thanks so very much!",
        "Thanks, the {price} is in. The receipt from M-Pesa is {receipt}.",
    ),
    "at_salon": (
        "That's fine, just pay the {price} when you're here.",
        "Sure, you can pay {price} at the salon on the day.",
    ),
    "see_you": (
        "We can't wait to have you here on {weekday} at {time}. Enjoy your day!",
        "Thanks for booking with us, we'll see you on {weekday} at {time}.",
        "Your chair will be ready on {weekday} at {time}. Have a great day, dear!",
    ),
    "goodbye": (
        "It was a pleasure{vocative}. See you here on {weekday}, take care!",
        "Thanks again{vocative}, all of us will be happy to see you on {weekday}. Bye for now!",
        "You're so welcome{vocative}, till {weekday} then. Enjoy your day!",
    ),
    "goodbye_open": (
        "Thanks for getting in touch, and enjoy the rest of your day. Bye!",
        "You're so welcome, message us whenever you like. Take care!",
        "That's alright, we'd be happy to hear from you another time. Bye for now!",
    ),
    "cancelled": (
        "Okay, your booking is cancelled and you don't owe us anything.",
        "No worries, I've taken your booking off and it costs you nothing.",
    ),
    "cancelled_refund": (
        "Okay, your booking is cancelled and the {price} will be back on your M-Pesa within a day.",
        "No worries, I've taken your booking off. Your {price} comes back to your M-Pesa by tomorrow.",
    ),
    "door_open": (
        "Just message us whenever you'd like to book again. Take good care!",
        "We'd be glad to see you at Salon Amani whenever you're ready. Bye for now!",
    ),
    "moved": (
        "That's fine, your booking has been changed.",
        "Okay dear, I've moved that for you.",
        "No worries, I've put in the change.",
    ),
    "robot": (
        "Yes, I'm a chat assistant at Salon Amani and not a human being. The ladies who do the hair are real, of course 😄",
        "You're chatting with Salon Amani's computer assistant, but real people will take care of you here.",
    ),
    "human": (
        "Of course, I'll ask Njeri at the front desk to ring you.",
        "Sure dear, Njeri from our front desk will give you a call soon.",
    ),
    "place": (
        "You'll find us at {place}. You can park outside for free.",
        "We're at {place}, and there's free parking for our clients.",
    ),
    "hours": (
        "The salon is open from 8:30am to 6:30pm, Monday to Saturday.",
        "You'll find us open between 8:30am and 6:30pm, every day except Sunday.",
    ),
    "duration": (
        "{Service} will need around {hours}.",
        "Plan for around {hours} with us for {service}.",
    ),
    "duration_unknown": (
        "It's different for each service, from half an hour up to five hours.",
        "Nails need around an hour, and braiding can go from four to five hours.",
    ),
    "discount": (
        "Sorry dear, there's no discount right now, but you'll pay nothing on top.",
        "We don't have an offer at the moment, sorry, and the price already covers everything.",
    ),
    "services": (
        "You can come to us for hair, braids, nails, facials, massage and make-up.",
        "We do offer hair and braids, nails and lashes, and also facials, massage and make-up.",
    ),
    "feel_upset": (
        "Oh no, I'm sorry you went through that. We'll do our best for you.",
        "I'm sorry to hear that, I'd also be upset.",
    ),
    "feel_trust": (
        "That makes sense. It's fine to pay only after we're done, and nobody here will want your PIN.",
        "I hear you, it's good to be careful. You can pay us after the service, and your PIN stays with you.",
    ),
    "feel_hurry": (
        "Sure, let me be quick.",
        "Got it, we'll be done in a minute.",
    ),
    "feel_budget": (
        "I hear you, and the price I tell you is all you'll pay.",
        "That makes sense, nothing gets added to the price later.",
    ),
    "feel_unsure": (
        "No rush at all, you can think about it.",
        "That's fine, we can always change it later on.",
    ),
    "off_topic": (
        "Sorry dear, that's not something I can help with here, I only do salon bookings.",
        "I'm not the right one for that, sorry, but I can book you in at the salon.",
    ),
    "pin_warning": (
        "Please keep that PIN to yourself, even from me. It only goes into the M-Pesa screen on your phone.",
        "Never send your PIN in a chat, dear. It's just for you to type on your own phone.",
    ),
    "unclear": (
        "Sorry dear, I didn't quite get that.",
        "I'm sorry, that wasn't clear to me.",
    ),
    "all_set": (
        "You're still booked with us, {service} on {day} at {time}.",
        "All is in order, we're expecting you for {service} on {day} at {time}.",
    ),
    "ack": ("Sure.", "Lovely.", "Okay dear.", "Got it."),
    "your_phone": ("your own phone number",),
    "number_ending": ("your phone number that ends with {digits}",),
}
