"""The sixth voice's English: a young man at the desk of a barber and beauty shop, brief and warm."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

ENGLISH: Bank = {
    "greet": (
        "Hi, you've reached Salon Amani, welcome!",
        "Hey, karibu to Salon Amani! It's nice of you to text us.",
        "Hello! Thanks for writing to Salon Amani 🙂",
    ),
    "ask_service": (
        "What do you want us to do for you?",
        "What do you need done, hair, nails or a massage?",
        "Tell me, which service can I get you?",
    ),
    "ask_kind": (
        "We've got {options}. Which one are you going for?",
        "You can get {options} here. Which one do you like?",
        "Are you looking for {options}?",
    ),
    "price": (
        "We do {service} for {price}.",
        "You'll pay {price} for {service}.",
        "For {service} it's {price}.",
    ),
    "price_list": (
        "Our prices go like this: {options}.",
        "It depends on what you pick. There's {options}.",
    ),
    "ask_day": (
        "Which day do you want to come?",
        "When do you want to pass by?",
        "What day is good on your side?",
    ),
    "ask_time": (
        "{day} is good. I have {slots}, which one do you want?",
        "I've checked {day} and there's {slots}. What time can you make it?",
        "For {day} you can have {slots}. Which time should I save for you?",
    ),
    "ask_time_one": (
        "There's only {slots} left on {day}. Do you want it?",
        "{day} is almost full, I only have {slots}. Is that one okay with you?",
    ),
    "suggest_time": (
        "I have {slots} on {day}. Will you take that?",
        "Can you do {slots} on {day}?",
    ),
    "taken": (
        "Sorry, {time} has just gone.",
        "Somebody already took {time}, sorry.",
        "Sorry about this, {time} is booked.",
    ),
    "full": (
        "Sorry, {day} is already full.",
        "I have nothing left on {day}, sorry.",
    ),
    "closed": (
        "We don't open on Sundays, sorry.",
        "Sunday is our day off, so I can't book you then.",
    ),
    "not_then": (
        "Everything around that time is taken, sorry.",
        "Sorry, I don't have any chair free around then.",
    ),
    "ask_name": (
        "What's your name?",
        "Who am I booking this for?",
        "Can I get your name, please?",
    ),
    "confirm": (
        "You're in{vocative}! {Service} on {day} at {time}, and it's {price}.",
        "Nice{vocative}, I've booked you for {service} on {day} at {time}. That's {price}.",
        "It's done{vocative}, you're coming for {service} on {day} at {time}. You'll pay {price}.",
    ),
    "ask_payment": (
        "Are you paying by M-Pesa now or when you get here?",
        "Do I send you the M-Pesa prompt now, or will you pay at the shop?",
        "Is it M-Pesa now or cash when you come?",
    ),
    "push": (
        "I've sent the M-Pesa prompt for {price} to {phone}. Type your PIN on the phone, don't send it to me, and tell me when it goes.",
        "The M-Pesa prompt for {price} is on {phone} now. Only enter your PIN on the phone and text me when the payment goes through.",
        "Please check {phone}, there's an M-Pesa prompt for {price}. Approve it on the phone and give me a shout when it's done.",
    ),
    "push_again": (
        "Okay, I've sent it one more time, please look at {phone}.",
        "Sorry about that, here comes another prompt to {phone}.",
    ),
    "push_failed": (
        "M-Pesa isn't working well today, so just pay the {price} here when you come.",
        "It keeps failing. Don't worry, you'll pay the {price} at the shop.",
    ),
    "push_wait": (
        "Nothing has come in yet. Tell me when you've approved it on your phone.",
        "It's still pending on my side. Text me when you've put in the PIN on your phone.",
    ),
    "paid": (
        "I can see your {price}, thank you! Here's your receipt, {receipt}.",
        "Thanks, your {price} is in. The receipt number is {receipt}, keep it.",
        "Your payment of {price} came through, receipt number {receipt}. Thank you!",
    ),
    "at_salon": (
        "Cool, you'll pay the {price} when you're here.",
        "That's alright, pay the {price} after we're done.",
    ),
    "see_you": (
        "See you {weekday} at {time}, have a good one!",
        "Thanks, we'll be ready for you on {weekday} at {time}.",
        "Alright, see you on {weekday} at {time} 🙂",
    ),
    "goodbye": (
        "You're welcome{vocative}! Alright, see you on {weekday}, bye.",
        "Anytime{vocative}, see you on {weekday}. Hope your day goes well!",
        "Cool{vocative}, thanks for booking with us. Bye, until {weekday}!",
    ),
    "goodbye_open": (
        "Thanks for the message, have a nice day. Bye!",
        "No problem, text us when you're ready. Take care!",
        "Alright, we're here if you need us. Bye!",
    ),
    "cancelled": (
        "No problem, I've cancelled it and you don't owe us anything.",
        "It's cancelled, and there's no charge.",
    ),
    "cancelled_refund": (
        "It's cancelled, and you'll get the {price} back on M-Pesa within a day.",
        "I've cancelled that and we're refunding the {price}. It will be on your M-Pesa by tomorrow.",
    ),
    "door_open": (
        "Text me any day you want to come. Bye!",
        "We'd be happy to have you another day. Have a nice day!",
    ),
    "moved": (
        "No problem, I've moved it.",
        "Sure, I've switched it for you.",
        "Okay, I've made the change.",
    ),
    "robot": (
        "Yes, I'm the chat assistant at Salon Amani, not a person. The team at the shop is human 🙂",
        "I'm just the booking bot, but our barbers and stylists are real people.",
    ),
    "human": (
        "Sure, I'll get Njeri from the front desk to call you.",
        "Okay, Njeri will give you a call in a few minutes.",
    ),
    "place": (
        "We're at {place}. You can park inside for free.",
        "The shop is at {place}, and we have free parking.",
    ),
    "hours": (
        "We're open at 8:30am and we close at 6:30pm, Monday to Saturday.",
        "You can find us here Monday to Saturday, from 8:30am to 6:30pm.",
    ),
    "duration": (
        "We need around {hours} for {service}.",
        "{Service} {take} like {hours}.",
    ),
    "duration_unknown": (
        "It can be half an hour or five hours, it depends on the service.",
        "Nails need about one hour, braids need four or five.",
    ),
    "discount": (
        "Sorry, we're not running any offers now. You won't be charged anything extra though.",
        "The price doesn't go down, sorry, but it covers everything.",
    ),
    "services": (
        "We do hair, haircuts, nails, facials, massage and make-up.",
        "You can get braids, haircuts, nails, lashes, facials and massage here.",
    ),
    "feel_upset": (
        "I'm sorry that happened. I'll make sure we look after you well.",
        "That's not okay, I'm really sorry.",
    ),
    "feel_trust": (
        "I get you. You can pay after the service, and we'll never ask for your PIN.",
        "Fair enough, there's no need to pay before you come. Keep your PIN to yourself.",
    ),
    "feel_hurry": (
        "Okay, let's do this fast.",
        "Got it, I'll be quick.",
    ),
    "feel_budget": (
        "I get you, what I quote is all you pay.",
        "No stress, there are no hidden charges.",
    ),
    "feel_unsure": (
        "That's fine, there's no hurry.",
        "No stress, you can always change your mind.",
    ),
    "off_topic": (
        "Ha, that one I don't know. I only do the bookings here.",
        "Sorry, I can only help you with a booking.",
    ),
    "pin_warning": (
        "Don't send your PIN to anyone, not even me. Just type it on your phone when M-Pesa asks.",
        "Please keep that PIN private, I don't need it. It's only for your phone.",
    ),
    "unclear": (
        "Sorry, I haven't understood you.",
        "I didn't catch that, sorry.",
    ),
    "all_set": (
        "You're still booked for {service} on {day} at {time}.",
        "It's all good, I have you for {service} on {day} at {time}.",
    ),
    "ack": ("Cool.", "Nice.", "Okay, good.", "Perfect."),
    "your_phone": ("your line",),
    "number_ending": ("the line ending in {digits}",),
}
