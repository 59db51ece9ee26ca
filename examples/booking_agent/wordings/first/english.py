"""The agent's English: short, warm, as typed by a receptionist in Nairobi."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

ENGLISH: Bank = {
    "greet": (
        "Hi, welcome to Salon Amani!",
        "Hello, karibu to Salon Amani!",
        "Hey there, thanks for reaching Salon Amani!",
        "Hello! Good to hear from you.",
    ),
    "ask_service": (
        "What would you like to have done?",
        "Which service are you after?",
        "What can we do for you, hair, nails or something else?",
        "Tell me, what are you coming in for?",
    ),
    "ask_kind": (
        "We do {options}. Which one would you like?",
        "There's {options}. Which would you prefer?",
        "You can have {options}. Which one shall it be?",
    ),
    "price": (
        "{Service} {be} {price}.",
        "{Service} {go} for {price}.",
        "For {service} we charge {price}.",
        "{Service} {will} be {price}, all in.",
    ),
    "price_list": (
        "To give you an idea: {options}.",
        "Here's a rough guide: {options}.",
        "Some of our prices: {options}.",
    ),
    "ask_day": (
        "Which day works for you?",
        "What day would you like to come in?",
        "When would you like to come?",
        "Which day suits you best?",
    ),
    "ask_time": (
        "On {day} I have {slots}. Which one works for you?",
        "{day} looks good: {slots} are open. What time suits you?",
        "For {day} there's {slots}. Which time would you like?",
        "I can do {slots} on {day}. Which do you prefer?",
    ),
    "ask_time_one": (
        "On {day} the only time left is {slots}. Would that work for you?",
        "{day} has just {slots} left. Shall I take it for you?",
    ),
    "suggest_time": (
        "How about {slots} on {day}, shall I take that one for you?",
        "I could give you {slots} on {day}. Would that suit you?",
    ),
    "taken": (
        "Sorry, {time} is already taken.",
        "Ah, somebody has {time} already.",
        "{time} is gone, I'm afraid.",
    ),
    "full": (
        "Sorry, {day} is fully booked.",
        "We have nothing left on {day}, I'm afraid.",
    ),
    "closed": (
        "We rest on Sundays, so {day} won't work.",
        "Sorry, we're closed on Sundays.",
    ),
    "not_then": (
        "Nothing is free at that part of the day, sorry.",
        "That part of the day is all taken, sorry.",
    ),
    "ask_name": (
        "And what name should I put it under?",
        "Nice. May I have your name for the booking?",
        "Great, whose name shall I book it under?",
        "Perfect. What's your name, please?",
    ),
    "confirm": (
        "You're booked{vocative}: {service} on {day} at {time}, {price}.",
        "All set{vocative}! {Service} on {day} at {time}, and it comes to {price}.",
        "Done{vocative}, I've put you down for {service} on {day} at {time}, {price}.",
    ),
    "ask_payment": (
        "Shall I send an M-Pesa prompt to your phone, or will you pay at the salon?",
        "Would you like to pay now by M-Pesa or later at the salon?",
        "How would you like to pay, M-Pesa now or cash when you come?",
    ),
    "push": (
        "I've sent an M-Pesa prompt for {price} to {phone}. Enter your PIN on the phone itself and tell me once it's through.",
        "A request for {price} is on its way to {phone}. Just key in your PIN on the handset, never here in the chat, and let me know.",
        "Check {phone} for an M-Pesa prompt of {price}; your PIN goes in there, not here. Tell me when it's done.",
    ),
    "push_again": (
        "No worries, I've sent it again. Keep your phone unlocked and the prompt should pop up.",
        "Let me try once more: a fresh prompt is on its way to {phone}.",
    ),
    "push_failed": (
        "M-Pesa seems slow today, so just pay the {price} when you come in.",
        "Let's not struggle with it, you can pay the {price} here on the day.",
    ),
    "push_wait": (
        "The prompt is on your phone; tell me once you've put in your PIN there.",
        "I'm still waiting for M-Pesa on my side, just let me know when you've approved it.",
    ),
    "paid": (
        "Got it, {price} received. Your M-Pesa receipt is {receipt}.",
        "Payment is in, thank you! Receipt number {receipt} for {price}.",
        "Thanks, {price} has come through, receipt {receipt}.",
    ),
    "at_salon": (
        "No problem, you can pay the {price} when you come.",
        "That's fine, you'll settle the {price} at the salon.",
    ),
    "see_you": (
        "See you on {weekday} at {time}!",
        "We'll see you {weekday} at {time}. Have a lovely day!",
        "Looking forward to having you on {weekday} at {time}!",
    ),
    "goodbye": (
        "You're most welcome{vocative}. See you on {weekday}, bye for now!",
        "Karibu sana{vocative}! Have a lovely day and see you {weekday}.",
        "My pleasure{vocative}. Take care and see you on {weekday}!",
    ),
    "goodbye_open": (
        "Thanks for getting in touch. Have a lovely day, bye!",
        "You're welcome any time. Take care and goodbye!",
        "No problem at all. We're here whenever you need us, have a good day!",
    ),
    "cancelled": (
        "Done, I've cancelled that and there's nothing to pay.",
        "No problem, it's cancelled and you owe us nothing.",
    ),
    "cancelled_refund": (
        "Done, it's cancelled, and your {price} goes back to your M-Pesa within a day.",
        "I've cancelled it; we'll return the {price} to your M-Pesa by tomorrow.",
    ),
    "door_open": (
        "Write to me any time you'd like a new slot. Have a good day!",
        "You're welcome back whenever it suits you. Take care!",
    ),
    "moved": (
        "Sure, I've changed that for you.",
        "No problem, let's move it.",
        "Of course, changed.",
    ),
    "robot": (
        "Yes, I'm the salon's automated assistant, though the stylists are very real.",
        "I'm a computer assistant for Salon Amani, yes; real people do the hair!",
    ),
    "human": (
        "I'll ask Njeri at reception to call you shortly.",
        "Sure, Njeri at the front desk will ring you in a few minutes.",
    ),
    "place": (
        "We're at {place}, with free parking at the back.",
        "You'll find us at {place}; there's parking for customers.",
    ),
    "hours": (
        "We're open Monday to Saturday, 8:30am to 6:30pm.",
        "Our hours are 8:30am to 6:30pm, Monday to Saturday.",
    ),
    "duration": (
        "{Service} {take} about {hours}.",
        "Plan for around {hours} for {service}.",
    ),
    "duration_unknown": (
        "It depends on the style, from half an hour to five hours.",
        "Nails take about an hour and braids four to five hours.",
    ),
    "discount": (
        "I hear you, but our prices are fixed, and that covers everything with no extras on the day.",
        "Sorry, no discounts at the moment, though there are no hidden extras either.",
    ),
    "services": (
        "We do braids, cornrows, wash and blow-dry, nails, facials, massage and make-up.",
        "Hair, nails, facials, massage and make-up, we do it all here.",
    ),
    "feel_upset": (
        "I'm really sorry about that, we'll make it right this time.",
        "Oh no, sorry you had to go through that; I'll see to it myself.",
    ),
    "feel_trust": (
        "I understand the worry: you can pay at the salon after the work, and nobody here will ever ask for your PIN.",
        "You're right to be careful; nothing has to be paid before you come, and your PIN stays with you.",
    ),
    "feel_hurry": (
        "Sure, I'll keep it quick.",
        "No problem, this will only take a minute.",
    ),
    "feel_budget": (
        "I understand, and the price I give you is all you pay.",
        "I hear you; there's nothing to add on top of the price.",
    ),
    "feel_unsure": (
        "No pressure, take your time.",
        "That's okay, we can always change it later.",
    ),
    "off_topic": (
        "That one is beyond me, I only look after bookings here.",
        "I'm afraid I can only help with salon bookings.",
        "Ha, I wish I knew! I only handle the salon's diary.",
    ),
    "pin_warning": (
        "Please don't share your PIN with anyone, me included; only type it into the M-Pesa prompt.",
        "Careful, keep your PIN to yourself. It only goes into the prompt on your phone.",
    ),
    "unclear": (
        "Sorry, I didn't quite get that.",
        "I may have missed you there.",
        "Hmm, I'm not sure I follow.",
    ),
    "all_set": (
        "Everything is in order: {service} on {day} at {time}.",
        "You're still down for {service} on {day} at {time}.",
    ),
    "ack": ("Great.", "Sure.", "Okay.", "Lovely."),
    "your_phone": ("your phone",),
    "number_ending": ("the number ending {digits}",),
}
