"""The third voice's English: plain, friendly chat as most receptionists type it."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

ENGLISH: Bank = {
    "greet": (
        "Good day and welcome to Salon Amani.",
        "Hello dear, you've reached Salon Amani!",
        "Hi there, this is Salon Amani, nice to hear from you!",
    ),
    "ask_service": ("What service do you need?", "How can we help you today?", "What are we doing for you?"),
    "ask_kind": (
        "We have {options}. Which one do you want?",
        "You can choose between {options}. Which one is it for you?",
    ),
    "price": (
        "{Service} {be} {price} with us.",
        "The price for {service} is {price}.",
        "{Service} {will} cost you {price}.",
    ),
    "price_list": ("Our prices are like this: {options}.", "For example, {options}."),
    "ask_day": ("When do you want to come?", "What day is good for you?", "Which day should I put you down for?"),
    "ask_time": (
        "{day} is okay, I have {slots}. What time do you prefer?",
        "We have space on {day}: {slots}. Which time is good for you?",
        "On {day} you can come at {slots}. Which one should I book?",
    ),
    "ask_time_one": (
        "I only have {slots} on {day}. Is that okay with you?",
        "On {day} I'm left with {slots}. Can you make it?",
    ),
    "suggest_time": ("I can book you at {slots} on {day}, is that okay?", "What about {slots} on {day}?"),
    "taken": ("Sorry dear, {time} is booked.", "Oh sorry, someone just took {time}."),
    "full": ("So sorry, {day} is full.", "Unfortunately we're full on {day}."),
    "closed": ("Sorry, we don't open on Sundays.", "Sunday is our off day, sorry."),
    "not_then": ("Sorry, we're full around that time.", "Unfortunately I have no space at that time."),
    "ask_name": ("What name do I write?", "Okay, your name please?", "Can I have your name?"),
    "confirm": (
        "Your booking is confirmed{vocative}: {service}, {day} at {time}. The price is {price}.",
        "Okay{vocative}, I have booked you for {service} on {day} at {time}. That will be {price}.",
        "Great{vocative}, it's confirmed. {Service}, {day}, {time}, {price}.",
    ),
    "ask_payment": (
        "Are you paying by M-Pesa now or when you come?",
        "Do you want to pay with M-Pesa now, or at the salon after?",
    ),
    "push": (
        "I have sent the M-Pesa request of {price} to {phone}. Put your PIN on your phone and tell me when you've paid.",
        "You'll see an M-Pesa message for {price} on {phone}. Enter the PIN there, don't send it to me, then confirm here.",
    ),
    "push_again": (
        "Sorry about that, I've resent it. Please check {phone}.",
        "Okay, sending it again now, please check.",
    ),
    "push_failed": (
        "It's okay, M-Pesa has a problem, you'll pay the {price} at the salon.",
        "The network is down I think, please pay {price} when you get here.",
    ),
    "push_wait": (
        "I haven't seen the payment yet, please check your phone and tell me when it's done.",
        "It's still pending here, let me know after you put in the PIN on your phone.",
    ),
    "paid": (
        "Thank you, I've received {price}. The receipt is {receipt}.",
        "Payment received, {price}. Your receipt number is {receipt}, thanks!",
    ),
    "at_salon": ("Okay, you'll pay {price} at the salon.", "That's okay, pay the {price} after we finish."),
    "see_you": (
        "See you {weekday} at {time}, thank you!",
        "Thank you and welcome, see you on {weekday} at {time}.",
        "Have a good day, we'll be waiting for you {weekday} at {time}.",
    ),
    "goodbye": (
        "Thank you{vocative}, see you on {weekday}. Bye!",
        "You're welcome{vocative}! Have a nice day, see you {weekday}.",
        "Welcome{vocative}, have a good one and see you {weekday}!",
    ),
    "goodbye_open": (
        "Okay, thank you and have a nice day. Bye!",
        "You're welcome, bye and have a good day!",
        "Thanks for texting us, goodbye!",
    ),
    "cancelled": ("Okay, I have cancelled the booking. You don't pay anything.", "It's cancelled, no charges."),
    "cancelled_refund": (
        "Okay, I've cancelled. We will send your {price} back on M-Pesa by tomorrow.",
        "The booking is cancelled, you'll get your {price} on M-Pesa within a day.",
    ),
    "door_open": ("You're welcome another time. Bye!", "Text us when you're ready, have a nice day!"),
    "moved": ("Okay, I've changed it.", "No worries, we can change.", "That's fine, let me update it."),
    "robot": (
        "Yes, I'm a chat assistant for the salon, not a person. The girls at the salon are real though!",
        "You're chatting with the salon's virtual assistant.",
    ),
    "human": ("Okay, let me tell Njeri to call you.", "Njeri from reception will call you in a few minutes."),
    "place": ("We are at {place}. Parking is free.", "The salon is at {place}, and you can park at the back."),
    "hours": (
        "We open at 8:30am and close at 6:30pm, Monday to Saturday.",
        "Monday to Saturday, from 8:30am to 6:30pm.",
    ),
    "duration": ("{Service} {take} around {hours}.", "It's about {hours} for {service}."),
    "duration_unknown": (
        "Depends on what you're doing, nails are about an hour and braids four to five hours.",
        "From thirty minutes to about five hours, depending on the service.",
    ),
    "discount": (
        "Sorry dear, that's our last price, but you won't pay anything extra.",
        "I wish I could, but the prices are the same for everyone.",
    ),
    "services": (
        "We do hair, nails, facials, massage and make-up.",
        "Braids, cornrows, blow-dry, nails, facials, massage and make-up.",
    ),
    "feel_upset": ("So sorry about that, it won't happen again.", "I'm sorry to hear that, let me help you."),
    "feel_trust": (
        "Don't worry, you can pay after the service, and we never ask for your PIN.",
        "It's safe, you don't need to pay anything now and you keep your PIN to yourself.",
    ),
    "feel_hurry": ("Okay, let me be quick.", "Sure, we'll be done in a minute."),
    "feel_budget": ("I get you, there are no extra charges.", "I understand, that price is final, nothing added."),
    "feel_unsure": ("It's okay, no rush.", "Don't worry, you can change your mind later."),
    "off_topic": (
        "Sorry, I can't help with that one, I only do bookings.",
        "I don't know about that, but I can book you at the salon.",
    ),
    "pin_warning": (
        "Please don't send me your PIN. Only put it on your phone when M-Pesa asks.",
        "Never share your PIN, not even with us, just use it on your phone.",
    ),
    "unclear": ("Sorry, I don't understand.", "Sorry, I didn't get you."),
    "all_set": (
        "Your booking is okay: {service}, {day} at {time}.",
        "Yes, you're booked for {service} on {day} at {time}.",
    ),
    "ack": ("Okay.", "Alright.", "Good.", "Nice one."),
    "your_phone": ("your line",),
    "number_ending": ("your number ending in {digits}",),
}
