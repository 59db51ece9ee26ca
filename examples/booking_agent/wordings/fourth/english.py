"""The fourth voice's English: an ordinary, friendly receptionist's WhatsApp messages."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

ENGLISH: Bank = {
    "greet": (
        "Hello and welcome to Salon Amani 😊",
        "Hi, thank you for contacting Salon Amani!",
        "Hello, good to hear from you, welcome to Salon Amani.",
    ),
    "ask_service": (
        "What would you like us to do for you?",
        "Which service would you like to book?",
        "Is it hair, nails or something else that you'd like?",
    ),
    "ask_kind": (
        "We offer {options}. Which one should I book for you?",
        "For that we have {options}. Which one would you prefer?",
        "Are you thinking of {options}?",
    ),
    "price": (
        "We charge {price} for {service}.",
        "The cost of {service} is {price}.",
        "{Service} {be} going for {price}.",
    ),
    "price_list": (
        "Some of our charges are {options}.",
        "It depends on the service, for instance {options}.",
    ),
    "ask_day": (
        "Which day would you like to come?",
        "When should we expect you?",
        "What day would be convenient for you?",
    ),
    "ask_time": (
        "On {day} we are free at {slots}. What time would you like?",
        "We still have {slots} on {day}. Which time works best for you?",
        "{day} is available at {slots}. What time should I book for you?",
    ),
    "ask_time_one": (
        "The only slot remaining on {day} is {slots}. Would you like it?",
        "We only have {slots} left on {day}. Should I book it for you?",
    ),
    "suggest_time": (
        "Would {slots} on {day} be okay for you?",
        "There's a free slot at {slots} on {day}. Should I book that one?",
    ),
    "taken": (
        "Sorry, we already have someone at {time}.",
        "I'm sorry, {time} has just been booked.",
        "{time} is not available, sorry about that.",
    ),
    "full": (
        "I'm sorry, we have no free slots on {day}.",
        "We're already fully booked for {day}, sorry.",
    ),
    "closed": (
        "We don't work on Sundays, sorry.",
        "The salon is closed on Sundays.",
    ),
    "not_then": (
        "Sorry, all the slots around that time are booked.",
        "We don't have anything free around that time, sorry.",
    ),
    "ask_name": (
        "May I know your name, please?",
        "Could I have your name for the booking?",
        "Whose name should I put on the booking?",
    ),
    "confirm": (
        "Thank you{vocative}, you are booked for {service} on {day} at {time}. The total is {price}.",
        "I've booked you{vocative}: {service} on {day} at {time} for {price}.",
        "Your appointment is set{vocative}. {Service} on {day} at {time}, {price}.",
    ),
    "ask_payment": (
        "Would you like to pay through M-Pesa now, or at the salon?",
        "Will you pay now via M-Pesa or on the day?",
        "How will you be paying, M-Pesa now or at the salon after?",
    ),
    "push": (
        "I've just sent an M-Pesa prompt of {price} to {phone}. Please pay only when it shows up on your screen, and let me know once you're done.",
        "You'll get an M-Pesa prompt for {price} on {phone} shortly. Confirm it there with your PIN, please don't share the PIN here, then text me.",
        "The M-Pesa prompt for {price} has gone to {phone}. Once you see it, you can pay from your phone and let me know.",
    ),
    "push_again": (
        "Sorry about that, I've sent the prompt to {phone} again.",
        "I've sent you another prompt, kindly check your phone now.",
    ),
    "push_failed": (
        "M-Pesa seems to be down at the moment. You can pay the {price} when you come.",
        "It looks like M-Pesa is not working today, so you'll just pay {price} at the salon.",
    ),
    "push_wait": (
        "The payment hasn't reflected yet. Please tell me once you've confirmed the prompt on your phone.",
        "No hurry, I'll wait. Just let me know when you've accepted the prompt.",
    ),
    "paid": (
        "Payment of {price} received, thank you. Your M-Pesa code is {receipt}.",
        "Thank you, we've received your {price}. The receipt number is {receipt}.",
        "I've seen your payment of {price}, receipt {receipt}. Thank you!",
    ),
    "at_salon": (
        "That's fine, you can pay the {price} at the salon.",
        "No worries, you will pay {price} on the day.",
    ),
    "see_you": (
        "See you on {weekday} at {time}, have a nice day!",
        "We'll be expecting you on {weekday} at {time}. Thank you!",
        "Thank you for booking with us, see you {weekday} at {time}!",
    ),
    "goodbye": (
        "Thank you too{vocative}, see you on {weekday}!",
        "You're welcome{vocative}. Bye, see you on {weekday} 😊",
        "It's a pleasure{vocative}. Have a great day and see you on {weekday}!",
    ),
    "goodbye_open": (
        "Thank you for reaching out to us. Have a nice day!",
        "You're welcome, have a lovely day. Bye bye!",
        "Alright, you're always welcome here. Bye!",
    ),
    "cancelled": (
        "I have cancelled your appointment and there's no charge.",
        "Okay, your booking has been cancelled. You won't be charged.",
    ),
    "cancelled_refund": (
        "Your booking has been cancelled, and we'll refund your {price} through M-Pesa by tomorrow.",
        "I have cancelled it for you. The {price} will be back in your M-Pesa within 24 hours.",
    ),
    "door_open": (
        "You can always book again when you're free. Have a nice day!",
        "Feel free to text us any other time. Bye!",
    ),
    "moved": (
        "Okay, I have changed that for you.",
        "No problem, I've updated your booking.",
        "Sure, we can change that.",
    ),
    "robot": (
        "Yes, I'm the salon's booking assistant, an automated one. Our stylists are people though 😊",
        "You're talking to a virtual assistant, but the team at the salon is human.",
    ),
    "human": (
        "Sure, I'll ask Njeri from reception to call you.",
        "Okay, Njeri at our reception will give you a call shortly.",
    ),
    "place": (
        "We are located at {place}, and there's free parking.",
        "Our salon is at {place}. You can park for free at the back.",
    ),
    "hours": (
        "We're open from 8:30am to 6:30pm, Monday to Saturday.",
        "You can come any day from Monday to Saturday, between 8:30am and 6:30pm.",
    ),
    "duration": (
        "{Service} {take} roughly {hours}.",
        "{Service} should take about {hours}.",
    ),
    "duration_unknown": (
        "It depends on the service, anything from half an hour to five hours.",
        "Nails take about an hour, while braids can take up to five hours.",
    ),
    "discount": (
        "I'm sorry, we're not giving discounts at the moment, but there are no extra charges.",
        "Unfortunately the price is fixed, but that's all you'll pay.",
    ),
    "services": (
        "We do braiding, blow-dry, nails, facials, massage and make-up.",
        "Our services are hair, nails, facials, massage and make-up.",
    ),
    "feel_upset": (
        "I'm very sorry about what happened. We'll make sure it goes well.",
        "I understand why you're upset, and I'm sorry. Let me sort this out for you.",
    ),
    "feel_trust": (
        "I understand your concern. You can pay after the service and we will never ask for your PIN.",
        "It's good to be careful. You don't have to pay anything until you come, and please keep your PIN private.",
    ),
    "feel_hurry": (
        "Okay, let's do this quickly.",
        "I know you're in a hurry, so I'll be quick.",
    ),
    "feel_budget": (
        "I understand, and there are no hidden charges.",
        "Don't worry, you'll only pay what I quote you, nothing more.",
    ),
    "feel_unsure": (
        "That's okay, take your time to decide.",
        "No problem, you can still change it later if you like.",
    ),
    "off_topic": (
        "Sorry, I'm not able to help with that, I only handle salon bookings.",
        "I'm not sure about that one. I can help you with a booking here at the salon though.",
    ),
    "pin_warning": (
        "Kindly don't send your PIN to anybody, not even to us. You only enter it on your phone.",
        "For your safety, don't send your PIN here. It's only for the M-Pesa prompt on your phone.",
    ),
    "unclear": (
        "Sorry, I didn't understand that.",
        "I'm sorry, I'm not sure what you mean.",
    ),
    "all_set": (
        "Your appointment is still on: {service}, {day} at {time}.",
        "We have you booked for {service} on {day} at {time}.",
    ),
    "ack": ("Okay, thank you.", "Sure, thanks.", "Perfect.", "Okay sure."),
    "your_phone": ("your phone number",),
    "number_ending": ("your number that ends with {digits}",),
}
