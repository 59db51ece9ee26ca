"""The seventh voice's English: a polite receptionist in her thirties in Nairobi, in clear and complete sentences."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

ENGLISH: Bank = {
    "greet": (
        "Hello and welcome to Salon Amani, I hope you're well.",
        "Hi dear, thank you for contacting Salon Amani.",
        "Hello, karibu sana. You've texted Salon Amani 😊",
    ),
    "ask_service": (
        "How can I help you today?",
        "Which service would you like us to book for you?",
        "Kindly tell me, what would you like us to do for you?",
    ),
    "ask_kind": (
        "You can book {options}. Which one would you like us to do?",
        "We have {options} for you. Which one should we go with?",
        "Would you prefer {options}?",
    ),
    "price": (
        "For {service} the price is {price}.",
        "{Service} {be} {price} at our salon.",
        "We are doing {service} at {price}.",
    ),
    "price_list": (
        "Let me share some of our prices: {options}.",
        "These are some of our charges: {options}.",
    ),
    "ask_day": (
        "Which day would be convenient for you?",
        "What day should I put you down for?",
        "On which day would you be free?",
    ),
    "ask_time": (
        "On {day} we have {slots}. What time would you prefer?",
        "For {day} I can offer you {slots}. Which one is convenient for you?",
        "{day} is fine, we are free at {slots}. What time should I book you?",
    ),
    "ask_time_one": (
        "On {day} we only have {slots} remaining. Would you like me to book it?",
        "The only free slot on {day} is {slots}. Should I put your name there?",
    ),
    "suggest_time": (
        "Is {slots} on {day} okay with you?",
        "We have {slots} available on {day}. Should I go ahead and book it?",
    ),
    "taken": (
        "I'm sorry, someone has already booked {time}.",
        "Sorry dear, {time} is not available.",
        "Unfortunately {time} has already been booked.",
    ),
    "full": (
        "I'm sorry, we're fully booked on {day}.",
        "Unfortunately there's no space left on {day}.",
    ),
    "closed": (
        "I'm sorry, we don't open on Sundays.",
        "Unfortunately the salon stays closed on Sundays.",
    ),
    "not_then": (
        "I'm sorry, we don't have any space at that time.",
        "Unfortunately that time is fully booked.",
    ),
    "ask_name": (
        "Which name should I use for the booking?",
        "Could you please tell me your name?",
        "And your name is?",
    ),
    "confirm": (
        "Your booking is confirmed{vocative}. You are coming for {service} on {day} at {time}, and the price is {price}.",
        "Thank you{vocative}, I have booked you for {service} on {day} at {time}. The cost is {price}.",
        "Perfect{vocative}, you're booked for {service} on {day} at {time}, and you'll pay {price}.",
    ),
    "ask_payment": (
        "Would you like to pay by M-Pesa now, or when you come to the salon?",
        "Should I send you an M-Pesa prompt now, or would you rather pay at the salon?",
        "Would you prefer to pay now with M-Pesa or later at the salon?",
    ),
    "push": (
        "An M-Pesa prompt of {price} has been sent to {phone}. Please enter your PIN on your phone and let me know once you've paid.",
        "You will receive an M-Pesa prompt for {price} on {phone}. Enter your PIN there, no need to share it with me, and let me know when you're done.",
        "The M-Pesa prompt for {price} is coming to {phone}. Please approve it on your phone when you're ready, then send me a message.",
    ),
    "push_again": (
        "Let me send it again. You will see another M-Pesa prompt on {phone}.",
        "I've resent the prompt to {phone}, please have a look.",
    ),
    "push_failed": (
        "I'm sorry, M-Pesa has a problem today. You can pay the {price} at the salon when you come.",
        "The prompt is not going through, so you'll pay the {price} at the salon after your service.",
    ),
    "push_wait": (
        "I haven't received the payment yet, but there's no rush. Let me know once you've approved the prompt on your phone.",
        "It hasn't come through on our side yet. Kindly let me know after approving the prompt on your phone.",
    ),
    "paid": (
        "Thank you, we have received {price}. Your M-Pesa receipt number is {receipt}.",
        "Your payment of {price} has been received, receipt number {receipt}. Thank you so much!",
        "I've received your {price}, thank you. Here is your receipt number: {receipt}.",
    ),
    "at_salon": (
        "That's okay, you will pay {price} at the salon.",
        "No problem dear, you can pay the {price} after your service.",
    ),
    "see_you": (
        "Thank you dear, see you on {weekday} at {time}. Have a lovely day ahead!",
        "We look forward to seeing you here on {weekday} at {time}.",
        "We will be waiting for you on {weekday} at {time}. Karibu!",
    ),
    "goodbye": (
        "You're welcome{vocative}. Have a blessed day, see you on {weekday}!",
        "Thank you too{vocative}, we'll be happy to see you on {weekday}. Goodbye!",
        "Karibu{vocative}, we'll see you on {weekday}. Bye bye!",
    ),
    "goodbye_open": (
        "Thank you for contacting us, have a lovely day. Goodbye!",
        "You're most welcome, feel free to text us any time. Bye!",
        "It's okay, we are here whenever you need us. Have a blessed day!",
    ),
    "cancelled": (
        "I have cancelled the booking for you, and there is nothing to pay.",
        "That's okay, your booking is now cancelled and you won't be charged anything.",
    ),
    "cancelled_refund": (
        "I have cancelled the booking, and your {price} will be refunded to your M-Pesa within a day.",
        "Your booking is cancelled. We'll send the {price} back to your M-Pesa by tomorrow.",
    ),
    "door_open": (
        "Feel free to text me when you want to book again, and have a lovely day!",
        "You're always welcome at Salon Amani. Goodbye!",
    ),
    "moved": (
        "No problem, I've changed the booking for you.",
        "Sure, I have updated your booking.",
        "That's okay, I've changed it.",
    ),
    "robot": (
        "Yes, I'm a virtual assistant for Salon Amani. Our stylists are real people 😊",
        "I'm an automated assistant, not a person, but our team at the salon is real.",
    ),
    "human": (
        "Sure, Njeri from our reception will call you in a moment.",
        "No problem, let me tell Njeri at reception and she will call you shortly.",
    ),
    "place": (
        "We are located at {place}. Our clients park for free.",
        "Our salon is at {place}, and parking is free.",
    ),
    "hours": (
        "We open Monday to Saturday, from 8:30am to 6:30pm.",
        "Our working hours are 8:30am to 6:30pm from Monday to Saturday.",
    ),
    "duration": (
        "{Service} usually {take} about {hours}.",
        "Please set aside about {hours} for {service}.",
    ),
    "duration_unknown": (
        "That depends on the service, some take half an hour and others five hours.",
        "Braids take four to five hours, while nails take about an hour.",
    ),
    "discount": (
        "I'm sorry, we don't have any discounts at the moment, but there are no extra charges.",
        "Unfortunately our prices are fixed, but you won't pay anything extra.",
    ),
    "services": (
        "We do hair, braids, nails, facials, massage and make-up.",
        "At Salon Amani we do braids, hair, nails, lashes, facials, massage and make-up.",
    ),
    "feel_upset": (
        "I'm so sorry about that experience. We will take good care of you.",
        "That must have been frustrating, I'm really sorry.",
    ),
    "feel_trust": (
        "I understand. You can pay after the service, and we will never ask you for your PIN.",
        "It's okay to be careful. You don't have to pay before you come, and please never share your PIN with anyone.",
    ),
    "feel_hurry": (
        "No problem, I'll make it quick.",
        "Okay, this won't take long.",
    ),
    "feel_budget": (
        "I understand, you will only pay the price I give you.",
        "I understand, there are no extra costs on top.",
    ),
    "feel_unsure": (
        "That's okay, take your time.",
        "No pressure at all, you can change it later.",
    ),
    "off_topic": (
        "I'm sorry, I can only assist with salon bookings.",
        "I wouldn't know about that one, sorry. I can only help you book an appointment.",
    ),
    "pin_warning": (
        "Please don't share your PIN with me or anyone else. Only enter it on your phone.",
        "Kindly keep your PIN a secret, we never need it. You only enter it on the M-Pesa prompt on your phone.",
    ),
    "unclear": (
        "I'm sorry, I didn't understand that.",
        "Sorry, I'm not sure what you mean.",
    ),
    "all_set": (
        "Your booking is still there, {service} on {day} at {time}.",
        "Everything is okay, you're booked for {service} on {day} at {time}.",
    ),
    "ack": ("Okay.", "Great.", "Alright.", "Thank you."),
    "your_phone": ("your mobile number",),
    "number_ending": ("your mobile number ending with {digits}",),
}
