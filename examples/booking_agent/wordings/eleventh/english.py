"""The eleventh voice's English: a young receptionist, matter of fact, who texts politely in short plain sentences."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

ENGLISH: Bank = {
    "greet": (
        "Hi, Salon Amani here.",
        "Hello, thanks for texting Salon Amani.",
        "Hi, you've got the front desk at Salon Amani.",
    ),
    "ask_service": (
        "What do you need done?",
        "What should I book you in for?",
        "What are you coming in for, please?",
    ),
    "ask_kind": (
        "For that it's {options}. Which one should I put down?",
        "There's {options}. Which one are you having?",
        "Would that be {options}?",
    ),
    "price": (
        "{Service} {be} {price} in total.",
        "It comes to {price} for {service}.",
        "For {service} you pay {price}.",
    ),
    "price_list": (
        "To compare: {options}.",
        "Each one has its own price. There's {options}.",
    ),
    "ask_day": (
        "Which day can you make it?",
        "What day should I check for you?",
        "When can you come in?",
    ),
    "ask_time": (
        "For {day} I have {slots}. Which one do I write?",
        "{day}, there's {slots}. What time should I write?",
        "What's open on {day} is {slots}. Which is better?",
    ),
    "ask_time_one": (
        "{day} has just {slots} open. Shall I write you in?",
        "For {day} it's only {slots}. Is that fine?",
    ),
    "suggest_time": (
        "I can give you {slots} on {day}. Is that fine?",
        "{day} at {slots} is open. Should I put you there?",
    ),
    "taken": (
        "Sorry, {time} is gone.",
        "{time} has someone in it, sorry.",
        "I can't do {time}, it's booked.",
    ),
    "full": (
        "Sorry, {day} has no space.",
        "{day} is full, I've checked. Sorry.",
    ),
    "closed": (
        "Sorry, we're off on Sundays.",
        "Sunday we stay closed.",
    ),
    "not_then": (
        "Sorry, there's no space at that time of day.",
        "That part of the day is full, sorry.",
    ),
    "ask_name": (
        "What name should I write?",
        "And your name, please?",
        "Who is the booking for, please?",
    ),
    "confirm": (
        "Done{vocative}. {Service} on {day}, {time}. You'll be paying {price}.",
        "Okay{vocative}, I've written you down for {service} on {day}, {time}. It's {price}.",
        "That's booked{vocative}: {service}, {day} at {time}. Price is {price}.",
    ),
    "ask_payment": (
        "Do you want to pay by M-Pesa now, or when you come?",
        "Is it M-Pesa now or cash when you get here?",
        "Should I send an M-Pesa prompt, or will you pay here on the day?",
    ),
    "push": (
        "I've sent an M-Pesa prompt of {price} to {phone}. Put your PIN on the phone only, not in this chat. Text me after.",
        "There's an M-Pesa prompt of {price} coming to {phone}. Check the amount, then enter your PIN there. Tell me when it's through.",
        "Prompt sent to {phone} for {price}. Accept it on your phone when you see it. Then let me know, please.",
    ),
    "push_again": (
        "Okay, sent it again to {phone}. Please have a look.",
        "I've just resent it to {phone}, sorry for that.",
    ),
    "push_failed": (
        "M-Pesa isn't going through. Just pay the {price} here when you come.",
        "Sorry, M-Pesa has a problem right now. You'll pay {price} at the desk.",
    ),
    "push_wait": (
        "I can't see the payment yet. Tell me when you've accepted the prompt.",
        "It's not in yet. Take your time and text me after you approve it.",
    ),
    "paid": (
        "Got the {price}, thanks. It has the code {receipt}.",
        "It's in: {price}, code {receipt}. Thanks.",
        "Thanks, I can see {price} from you. The code on M-Pesa is {receipt}.",
    ),
    "at_salon": (
        "Okay, you'll pay {price} here when you come.",
        "That's fine. Bring {price} on the day, cash or M-Pesa.",
    ),
    "see_you": (
        "So {weekday} at {time}. See you then.",
        "We'll see you {weekday}, {time}. Have a good one.",
        "That's all. See you {weekday} at {time}, bye till then.",
    ),
    "goodbye": (
        "Welcome{vocative}. See you {weekday}, bye.",
        "Okay{vocative}, thanks. We'll see you on {weekday}.",
        "Thanks{vocative}, bye. Till {weekday}.",
    ),
    "goodbye_open": (
        "Okay, thanks for asking. Bye.",
        "You're welcome. Text when you need us, bye.",
        "It's fine. Enjoy your day, bye.",
    ),
    "cancelled": (
        "Okay, I've taken you off the book. There's nothing to pay.",
        "It's cancelled. You don't owe anything.",
    ),
    "cancelled_refund": (
        "It's cancelled. Your {price} goes back to your M-Pesa tomorrow.",
        "Okay, I've taken you off the book. We'll send back the {price} by M-Pesa within a day.",
    ),
    "door_open": (
        "Text me when you want another day. Bye.",
        "If you want to come some other time, just write. Take care, bye.",
    ),
    "moved": (
        "Okay, let me change it.",
        "That's fine, changed.",
        "Okay, I've put the new one.",
    ),
    "robot": (
        "I'm an automated assistant, yes. I do the bookings, people do the hair.",
        "Yes, this is a bot. The ladies at the salon are real.",
    ),
    "human": (
        "Okay. I'll tell Njeri at the desk and she'll call you.",
        "That's fine, Njeri will call you today.",
    ),
    "place": (
        "It's {place}. You can park free.",
        "Come to {place}. You don't pay for parking.",
    ),
    "hours": (
        "It's 8:30am to 6:30pm, Monday to Saturday.",
        "We open 8:30am and close 6:30pm. Sunday is off.",
    ),
    "duration": (
        "Keep {hours} free for {service}, please.",
        "{Service} {take} {hours} from start to finish.",
    ),
    "duration_unknown": (
        "Some take half an hour, some take five hours. It's by service.",
        "Nails are about an hour. Braids go up to five.",
    ),
    "discount": (
        "Sorry, I can't lower the price. Nothing gets added to it either.",
        "There's no discount now, sorry. The price you see is all you pay.",
    ),
    "services": (
        "There's hair, braids, nails, facials, massage and make-up.",
        "We do hair and braids, nails, lashes, facials, massage, make-up.",
    ),
    "feel_upset": (
        "I'm sorry about that. It shouldn't have gone that way.",
        "Sorry, that wasn't okay. Let me fix it.",
    ),
    "feel_trust": (
        "I get it. You can pay after you've been served, and I won't ask for your PIN.",
        "That's fair. Pay here after the service if you prefer. Your PIN stays with you.",
    ),
    "feel_hurry": (
        "Okay, I'll keep it short.",
        "Sure, this takes a minute.",
    ),
    "feel_budget": (
        "I hear you. The price I give is the price you pay.",
        "Okay. Nothing is added on top.",
    ),
    "feel_unsure": (
        "It's fine, think about it.",
        "That's okay. You can change it after.",
    ),
    "off_topic": (
        "Sorry, I don't know about that. I only do bookings here.",
        "That one I can't answer, sorry. I can book you in though.",
    ),
    "pin_warning": (
        "Please don't text me your PIN. It goes on your phone only.",
        "Keep the PIN off this chat, please. You only type it on the M-Pesa prompt.",
    ),
    "unclear": (
        "Sorry, I don't follow.",
        "I didn't get that one, sorry.",
    ),
    "all_set": (
        "You're down for {service}, {day} at {time}.",
        "It's still there: {service}, {day}, {time}.",
    ),
    "ack": ("Okay.", "Noted, thanks.", "Alright.", "That's fine."),
    "your_phone": ("the number you're texting from",),
    "number_ending": ("the number with {digits} at the end",),
}
