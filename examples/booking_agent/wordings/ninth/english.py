"""The ninth voice's English: a warm receptionist in Nairobi who calls everybody love and wishes them a blessed day."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

ENGLISH: Bank = {
    "greet": (
        "Hi love, thank you for writing to Salon Amani 🌸",
        "Hello and karibu sana, this is Salon Amani and I'm happy to help.",
        "So good to hear from you! Salon Amani here.",
    ),
    "ask_service": (
        "What would you love to have done?",
        "What are you coming in for?",
        "Tell me, what should we do for you?",
    ),
    "ask_kind": (
        "You can get {options}. Which would you go for?",
        "So on our list there's {options}. What do you prefer?",
        "It can be {options}. Which of the two do you like?",
    ),
    "price": (
        "{Service} {be} {price}, everything included.",
        "What we charge for {service} is {price}.",
        "{price} is our price for {service}.",
    ),
    "price_list": (
        "A few examples for you: {options}.",
        "It depends on what you pick, let me give you some: {options}.",
    ),
    "ask_day": (
        "Which day should I look at for you?",
        "When can you make it?",
        "What day do you want to pass by?",
    ),
    "ask_time": (
        "I've checked {day} and we're free at {slots}. What works best for you?",
        "{day} is possible, we can do {slots}. Which one do you take?",
        "Yes, we're around on {day}. Do you prefer {slots}?",
    ),
    "ask_time_one": (
        "The only slot left on {day} is {slots}. Shall I give it to you?",
        "On {day} it's just {slots} remaining. Would you manage that?",
    ),
    "suggest_time": (
        "Would {slots} on {day} work for you?",
        "Let me give you {slots} on {day}, would you be able to make it?",
    ),
    "taken": (
        "Aww sorry, somebody is already coming in at {time}.",
        "{time} has been taken, my apologies.",
        "Unfortunately {time} went to someone else.",
    ),
    "full": (
        "Sorry love, there's no space left on {day}.",
        "{day} is completely full, I'm really sorry.",
    ),
    "closed": (
        "We're closed on Sundays, so sorry about that.",
        "Sorry love, the salon doesn't open on Sunday.",
    ),
    "not_then": (
        "Sorry, all our ladies are busy at that time.",
        "That part of the day is full, my apologies.",
    ),
    "ask_name": (
        "And your name, love?",
        "May I know your name for the appointment?",
        "Whose name should the appointment be in?",
    ),
    "confirm": (
        "You're in{vocative} 🎉 {Service} on {day} at {time}, and it's {price}.",
        "Your appointment is in the book{vocative}. That's {service}, {day}, {time}, at {price}.",
        "Perfect{vocative}, consider it done: {service} on {day} at {time} for {price}.",
    ),
    "ask_payment": (
        "Will you pay by M-Pesa now, or when you get here?",
        "Should I send the M-Pesa prompt for you to pay now, or would you rather do it here?",
        "On payment, is it M-Pesa now or shall we sort it out here?",
    ),
    "push": (
        "I've already sent the M-Pesa prompt for {price} to {phone}. Please enter your PIN on your phone and let me know.",
        "A prompt of {price} is coming to {phone}. Just follow it on your phone, the PIN is for you alone, and text me after.",
        "Check {phone} for a pop-up from M-Pesa for {price}. Once you've put in your PIN there, just tell me here.",
    ),
    "push_again": (
        "I've sent you another prompt, have a look at {phone}.",
        "Let's try again, it should now be on {phone}.",
    ),
    "push_failed": (
        "M-Pesa is giving us trouble, so let's leave it and you pay {price} here.",
        "It's still not going through, sorry love. You'll pay {price} when you come, no problem.",
    ),
    "push_wait": (
        "It hasn't come in yet. No pressure, just let me know once it's through.",
        "I'm still waiting for M-Pesa to confirm. Let me know once you've entered the PIN on your phone.",
    ),
    "paid": (
        "Received with thanks, {price}. The M-Pesa code is {receipt}.",
        "{price} received, thank you so much love. Your receipt: {receipt}.",
        "It has come through, {price}, and your receipt is {receipt}. God bless!",
    ),
    "at_salon": (
        "No problem, you'll pay the {price} here.",
        "That works, {price} on the day is okay.",
    ),
    "see_you": (
        "See you {weekday} at {time}, love, and feel free to come a little early.",
        "We look forward to having you on {weekday} at {time}. Have a blessed day ahead!",
        "Till {weekday} at {time} then, and have a lovely day!",
    ),
    "goodbye": (
        "It's been nice chatting{vocative}. See you on {weekday}, bye bye!",
        "Most welcome{vocative}, have a blessed day and see you {weekday}!",
        "Thank you so much for booking{vocative}. Until {weekday}, stay well!",
    ),
    "goodbye_open": (
        "No worries at all, have a lovely day. Bye bye!",
        "You're most welcome, and have a blessed day ahead!",
        "Alright then, it was nice hearing from you. Bye!",
    ),
    "cancelled": (
        "I've cancelled it for you, and there's nothing to pay.",
        "That's okay, the appointment is off and we won't charge you.",
    ),
    "cancelled_refund": (
        "I've cancelled it for you. The {price} you sent will be back in your M-Pesa by tomorrow.",
        "That's okay, the appointment is off and we're refunding your {price} on M-Pesa within a day.",
    ),
    "door_open": (
        "Whenever you feel like coming, just write to me. Enjoy your day, love!",
        "You're always welcome here, love. Bye bye!",
    ),
    "moved": (
        "I've moved you, no stress.",
        "Sure, that has been changed.",
        "All good, I've adjusted it.",
    ),
    "robot": (
        "I'm the salon's automated assistant, so not a person, but the ladies who'll serve you are 😊",
        "You're texting with a bot that plans the appointments at Salon Amani.",
    ),
    "human": (
        "Let me get Njeri to call you, she's at the reception.",
        "Sure, I'm asking Njeri at reception to call you shortly.",
    ),
    "place": (
        "We're in {place}. There's enough free parking.",
        "Look for us at {place}, and parking costs nothing.",
    ),
    "hours": (
        "We're here Monday to Saturday, 8:30am up to 6:30pm.",
        "Our doors open at 8:30am and we lock up at 6:30pm. Only Sundays we're away.",
    ),
    "duration": (
        "{Service} normally {take} us about {hours}.",
        "Set aside about {hours} for {service}.",
    ),
    "duration_unknown": (
        "That depends, nails can be an hour while braids go up to five hours.",
        "Some things need half an hour, and others like braids up to five hours.",
    ),
    "discount": (
        "I can't lower it, sorry love, but there are no hidden charges.",
        "Sorry, our prices are fixed for now, though we add nothing on top.",
    ),
    "services": (
        "We do braids, cornrows, weaves, blow-dry, nails, lashes, facials, massage and make-up.",
        "Mostly hair and nails, plus lashes, facials, massage and make-up.",
    ),
    "feel_upset": (
        "I'm really sorry, that should never have happened.",
        "Aww, I'm truly sorry about that. Let me make it right.",
    ),
    "feel_trust": (
        "Very understandable. Pay after you've been served if you like, and don't give your PIN to anyone.",
        "Please don't worry, you can pay when we've finished and we will never ask you for a PIN.",
    ),
    "feel_hurry": (
        "No problem, I'll keep it short.",
        "Okay, quickly then.",
    ),
    "feel_budget": (
        "I understand, and what I quote is exactly what you'll pay.",
        "Totally get that, and there won't be any surprises when you pay.",
    ),
    "feel_unsure": (
        "Take all the time you need, love.",
        "Don't stress about it, we can adjust along the way.",
    ),
    "off_topic": (
        "I wish I could help with that, but I only handle the salon's appointments.",
        "That one is beyond me, sorry. What I can do is sort you out with an appointment.",
    ),
    "pin_warning": (
        "Please don't share your PIN with me or anyone. You only type it on your phone when M-Pesa asks.",
        "Your PIN is a secret, love, don't write it here. It's only for the M-Pesa screen on your phone.",
    ),
    "unclear": (
        "Sorry love, I'm not following.",
        "Hmm, I'm not sure I understood that.",
    ),
    "all_set": (
        "You're sorted: {service} on {day} at {time}.",
        "Nothing else needed, we have you down for {service} on {day} at {time}.",
    ),
    "ack": ("Perfect.", "Noted.", "Wonderful.", "Great, love."),
    "your_phone": ("your M-Pesa number",),
    "number_ending": ("your M-Pesa number, the one ending in {digits}",),
}
