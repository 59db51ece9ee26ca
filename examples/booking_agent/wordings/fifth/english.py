"""The fifth voice's English: a friendly receptionist in Nairobi who types plain, complete sentences."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

ENGLISH: Bank = {
    "greet": (
        "Hello, welcome to Salon Amani. Happy to help you 😊",
        "Hi there, this is Salon Amani, karibu sana!",
        "Good to hear from you, and welcome to Salon Amani.",
    ),
    "ask_service": (
        "What would you like to get done?",
        "What can I book for you?",
        "Which service do you have in mind?",
    ),
    "ask_kind": (
        "Here we have {options}. Which one do you want to go with?",
        "You can choose {options}. Which one would you like to do?",
        "Would you like {options}?",
    ),
    "price": (
        "{Service} will cost you {price}.",
        "The price of {service} is {price}.",
        "{Service} {go} for {price} here at our salon.",
    ),
    "price_list": (
        "Here are some of our prices: {options}.",
        "The price depends on what you'd like to do, for example {options}.",
    ),
    "ask_day": (
        "Which day are you planning to come?",
        "When are you free to come in?",
        "What day should I book you for?",
    ),
    "ask_time": (
        "On {day} we have {slots} available. Which one is good for you?",
        "You can come on {day} at {slots}. What time is best for you?",
        "{day} is okay, I have openings at {slots}. Which time should I put you down for?",
    ),
    "ask_time_one": (
        "We have just one opening left on {day}, at {slots}. Can I put you down for it?",
        "{slots} is the last free time on {day}. Would you like to take it?",
    ),
    "suggest_time": (
        "Can I book you for {slots} on {day}?",
        "{slots} on {day} is open. Does that work for you?",
    ),
    "taken": (
        "Sorry, {time} is no longer available.",
        "I'm sorry, someone else is already booked at {time}.",
        "Unfortunately {time} is already booked.",
    ),
    "full": (
        "Sorry, we are full on {day}.",
        "Unfortunately all our slots on {day} are taken.",
    ),
    "closed": (
        "Sorry, we're not open on Sundays.",
        "We stay closed on Sundays so that everyone can rest.",
    ),
    "not_then": (
        "Sorry, that time of the day is fully booked.",
        "Unfortunately there's nothing open around that time.",
    ),
    "ask_name": (
        "And what is your name?",
        "Could you tell me your name, please?",
        "What name should I book under?",
    ),
    "confirm": (
        "All done{vocative}! You're booked for {service} on {day} at {time}, and the price is {price}.",
        "Great{vocative}, your booking is confirmed: {service} on {day} at {time}, {price}.",
        "You're confirmed for {service} on {day} at {time}{vocative}. It will be {price}.",
    ),
    "ask_payment": (
        "Would you prefer to pay with M-Pesa now or at the salon?",
        "Do you want to pay by M-Pesa now, or when you come in?",
        "How would you like to pay, by M-Pesa now or at the salon on the day?",
    ),
    "push": (
        "I've sent a payment request of {price} to {phone}. Enter your PIN on your phone only, and tell me when it's done.",
        "An M-Pesa prompt of {price} is on its way to {phone}. Put in your PIN on the phone, not here, and text me once it goes through.",
        "You should now see an M-Pesa request for {price} on {phone}. Approve it when you're ready and let me know.",
    ),
    "push_again": (
        "I've resent the prompt to {phone}, please check.",
        "No problem, I'm sending you another M-Pesa prompt now.",
    ),
    "push_failed": (
        "M-Pesa is having some issues right now, so you can pay the {price} when you get here.",
        "The M-Pesa prompt isn't going through today. You can just pay {price} here at the salon.",
    ),
    "push_wait": (
        "I haven't seen the payment yet. Let me know once you've approved it on your phone, there's no rush.",
        "Take your time, just tell me when you've approved the request on your phone.",
    ),
    "paid": (
        "We've received your payment of {price}. Your receipt number is {receipt}, thank you!",
        "Thank you, {price} has been received. The M-Pesa receipt is {receipt}.",
        "Got your {price}, thanks a lot. Your receipt is {receipt}.",
    ),
    "at_salon": (
        "Okay, you can pay {price} when you come in.",
        "Sure, you'll pay the {price} here after your appointment.",
    ),
    "see_you": (
        "Thank you, and see you on {weekday} at {time} 😊",
        "We can't wait to see you on {weekday} at {time}. Have a good day!",
        "We look forward to seeing you on {weekday} at {time}. Take care!",
    ),
    "goodbye": (
        "You're welcome{vocative}! Enjoy your day and see you on {weekday}.",
        "Thank you so much{vocative}. See you on {weekday}, bye!",
        "Most welcome{vocative}, see you {weekday}. Have a good day!",
    ),
    "goodbye_open": (
        "Thanks for texting us. Have a great day!",
        "It's okay, reach out whenever you're ready. Bye!",
        "You're welcome! Have a good day, bye.",
    ),
    "cancelled": (
        "I've cancelled the booking for you, and you don't have to pay anything.",
        "That's done, your appointment is cancelled at no cost.",
    ),
    "cancelled_refund": (
        "Your appointment is cancelled, and the {price} will be refunded to your M-Pesa within a day.",
        "I've cancelled your booking. You'll get your {price} back on M-Pesa by tomorrow.",
    ),
    "door_open": (
        "You're welcome to book another day. Take care!",
        "Just text us whenever you'd like to come. Have a good day!",
    ),
    "moved": (
        "Done, I've made that change.",
        "Okay, that's changed for you.",
        "Sure, I've updated it.",
    ),
    "robot": (
        "Yes, I'm an automated assistant for Salon Amani. The people doing your hair are real though 😊",
        "I'm a bot that helps with bookings, but you'll be served by real people here.",
    ),
    "human": (
        "Of course, Njeri from our front desk will call you in a few minutes.",
        "Sure, let me have Njeri from reception call you.",
    ),
    "place": (
        "You'll find the salon at {place}. There's free parking for our clients.",
        "You can find us at {place}, and parking is free.",
    ),
    "hours": (
        "From Monday to Saturday we open at 8:30am and close at 6:30pm.",
        "Our working hours are Monday to Saturday, from 8:30am to 6:30pm.",
    ),
    "duration": (
        "{Service} will take about {hours}.",
        "{Service} usually {take} around {hours}.",
    ),
    "duration_unknown": (
        "It depends on what you're having done, usually between 30 minutes and 5 hours.",
        "Nails are about an hour, and braids take four to five hours.",
    ),
    "discount": (
        "Sorry, we don't have any offers right now, but the price includes everything.",
        "I wish I could, but our prices are fixed. There's nothing extra to pay though.",
    ),
    "services": (
        "We offer hair, nails, facials, massage and make-up.",
        "At the salon we do braids, weaves, blow-dry, nails, lashes, facials and massage.",
    ),
    "feel_upset": (
        "I'm so sorry about that. We'll take good care of you.",
        "Sorry for the trouble, I understand how frustrating that is.",
    ),
    "feel_trust": (
        "I understand, and you can pay at the salon once you've been served. We never ask for anyone's PIN.",
        "That's a fair concern. You don't need to pay before you come, and your PIN is only for you.",
    ),
    "feel_hurry": (
        "Sure, let me make this quick.",
        "Okay, I'll be fast.",
    ),
    "feel_budget": (
        "I understand, the price I give you is the final price.",
        "That's okay, we don't add any extra charges.",
    ),
    "feel_unsure": (
        "No rush, you can think about it.",
        "It's okay if you're not sure yet, we can change it any time.",
    ),
    "off_topic": (
        "Sorry, I can't help with that one. I only help with salon bookings.",
        "I'm afraid I don't know about that, I'm here for the salon's bookings.",
    ),
    "pin_warning": (
        "Please don't share your M-Pesa PIN with anyone. We don't need it, you only enter it on your phone.",
        "Please keep your PIN to yourself, even we shouldn't see it. Enter it only on your own phone.",
    ),
    "unclear": (
        "Sorry, I didn't get that.",
        "Sorry, I'm not sure I understood you.",
    ),
    "all_set": (
        "You're all set: {service} on {day} at {time}.",
        "Your booking is confirmed for {service} on {day} at {time}.",
    ),
    "ack": ("Okay great.", "Alright.", "Sure thing.", "Thank you."),
    "your_phone": ("this number",),
    "number_ending": ("your number ending with {digits}",),
}
