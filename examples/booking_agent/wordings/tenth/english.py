"""The tenth voice's English: a courteous older manager's, in whole sentences and without hurry."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

ENGLISH: Bank = {
    "greet": (
        "Good day, and a warm welcome to Salon Amani.",
        "Hello my dear, you have reached Salon Amani, and you are most welcome.",
        "A very good day to you from all of us at Salon Amani.",
    ),
    "ask_service": (
        "Now, what may we do for you?",
        "Tell me, what did you have in mind, something for the hair, the nails, or a little pampering?",
        "And what shall we be doing for you?",
    ),
    "ask_kind": (
        "I can offer you {options}. Which of these would you favour?",
        "It could be {options}, and both are very nice. Which shall I write down?",
        "There are two ways to go, {options}. Which one speaks to you?",
    ),
    "price": (
        "{Service} {will} cost you {price}, and that is everything included.",
        "For {service} we ask {price}.",
        "Our price for {service} is {price}.",
    ),
    "price_list": (
        "Just so that you have a picture: {options}.",
        "Let me give you a few of our prices: {options}.",
    ),
    "ask_day": (
        "Which day would you find most comfortable?",
        "And on what day may we look forward to seeing you?",
        "Have you a day in mind, my dear?",
    ),
    "ask_time": (
        "I have looked in the book, and on {day} there is {slots}. Which of those hours would you prefer?",
        "{day} has some room for you: {slots}. At what time shall I write you in?",
        "We can receive you on {day} at {slots}. Which time would be kindest to your day?",
    ),
    "ask_time_one": (
        "There is just the one place left on {day}, at {slots}. Would you care to take it?",
        "On {day} all I can offer now is {slots}. Would that be agreeable?",
    ),
    "suggest_time": (
        "May I propose {slots} on {day}?",
        "I could keep {slots} on {day} aside for you. Would you be happy with that?",
    ),
    "taken": (
        "I do apologise, another customer is already in the book for {time}.",
        "Ah, {time} was claimed before you, I am sorry.",
        "My apologies, {time} is no longer open.",
    ),
    "full": (
        "I am so sorry, every chair is taken on {day}.",
        "Regrettably {day} has filled up completely, my apologies.",
    ),
    "closed": (
        "On Sundays our doors stay shut, so that everyone can be with family.",
        "Sunday is our day of rest, I am sorry to say.",
    ),
    "not_then": (
        "I am sorry, those hours are already spoken for.",
        "There is no opening left in that part of the day, my apologies.",
    ),
    "ask_name": (
        "And whom shall we be expecting, may I have your name?",
        "Under what name shall I write it in the book?",
        "With whom do I have the pleasure?",
    ),
    "confirm": (
        "It is written in the book{vocative}: {service} on {day} at {time}, for {price}.",
        "Very good{vocative}. We shall receive you for {service} on {day} at {time}, and the bill will be {price}.",
        "That is arranged{vocative}: {service}, {day} at {time}, and the price is {price}.",
    ),
    "ask_payment": (
        "Would it suit you to pay by M-Pesa now, or rather at the salon on the day?",
        "As for payment, do you prefer M-Pesa today or settling with us when you come?",
        "May I send the M-Pesa request to your phone, or would you sooner pay at the salon?",
    ),
    "push": (
        "I have sent an M-Pesa request of {price} to {phone}. Enter your PIN on the phone itself, never in this chat, and kindly tell me afterwards.",
        "In a moment {phone} will show an M-Pesa request for {price}. Approve it there, keep the PIN to yourself, and drop me a word when it is done.",
        "There is an M-Pesa request of {price} waiting on {phone}. Look it over, approve it in your own time, and let me know.",
    ),
    "push_again": (
        "Let me send it once more. Please look at {phone} in a minute.",
        "Not to worry, these things happen. A second request is now going to {phone}.",
    ),
    "push_failed": (
        "M-Pesa is being stubborn today, so let us leave it, and you can pay the {price} here.",
        "Never mind the phone then. The {price} can be paid when you are with us.",
    ),
    "push_wait": (
        "There is no rush. The request stays on your phone until you approve it, and I shall be here.",
        "I have not yet seen it come in on my side, but do take your time and tell me once you have approved it.",
    ),
    "paid": (
        "Thank you kindly, {price} has reached us. Your receipt from M-Pesa reads {receipt}.",
        "Your {price} arrived safely. Please keep the receipt number, {receipt}.",
        "All paid, {price}, with receipt {receipt}. We are grateful.",
    ),
    "at_salon": (
        "By all means, the {price} can be paid when you are here.",
        "That is perfectly all right, bring the {price} with you on the day.",
    ),
    "see_you": (
        "We shall have a chair ready for you on {weekday} at {time}.",
        "It will be a pleasure to receive you on {weekday} at {time}. Keep well until then.",
        "Until {weekday} at {time}, then. God bless, and have a peaceful day.",
    ),
    "goodbye": (
        "It was my pleasure{vocative}. Until {weekday}, go well.",
        "You are most kind{vocative}. We shall see you on {weekday}, and a blessed day to you.",
        "Thank you{vocative}. Stay well, and see you on {weekday}.",
    ),
    "goodbye_open": (
        "Thank you for thinking of us. Go well, and goodbye for now.",
        "It was good to hear from you. A pleasant day to you, goodbye.",
        "You are welcome here whenever you wish. Keep well, bye.",
    ),
    "cancelled": (
        "I have taken it out of the book, and you owe us nothing at all.",
        "That is cancelled, my dear, and there is no charge whatsoever.",
    ),
    "cancelled_refund": (
        "It is cancelled, and your {price} will be returned to your M-Pesa by this time tomorrow.",
        "I have taken you out of the book. The full {price} comes back to you on M-Pesa within a day.",
    ),
    "door_open": (
        "Our door stays open whenever you wish to come. Go well.",
        "Another day, perhaps. We shall be glad to hear from you, goodbye for now.",
    ),
    "moved": (
        "With pleasure, I have changed it in the book.",
        "That is no trouble at all, let us change it.",
        "Certainly, I shall rearrange it.",
    ),
    "robot": (
        "You have guessed right, I am an automated assistant. The hands that do the work are human, I assure you.",
        "I am a computer programme that keeps the salon's appointments, yes. Everyone else here is flesh and blood.",
    ),
    "human": (
        "Of course. Njeri at our reception will telephone you shortly.",
        "I shall ask Njeri from the front desk to ring you, please keep your phone near.",
    ),
    "place": (
        "You will find us at {place}. There is parking behind the building, free for our visitors.",
        "Our house is at {place}, and you may park at the back at no charge.",
    ),
    "hours": (
        "Our doors open at 8:30am and close at 6:30pm, Monday through Saturday.",
        "We receive customers Monday to Saturday, from 8:30am until 6:30pm.",
    ),
    "duration": (
        "Do set aside {hours} or so for {service}, we never rush.",
        "{Service} {take} {hours}, more or less.",
    ),
    "duration_unknown": (
        "That depends on what you choose: half an hour for the small things, up to five hours for braids.",
        "Nails need about an hour, while fine braids may keep you here four or five.",
    ),
    "discount": (
        "I wish I could, but our prices are the same for everyone. At least nothing is ever added afterwards.",
        "I am afraid the price stands as it is, though it is the whole price, with no extras.",
    ),
    "services": (
        "We look after hair of every kind, nails, facials, massage and make-up.",
        "Braiding, blow-dry, nails, facials, massage, make-up: all of it is done here, and with care.",
    ),
    "feel_upset": (
        "I am truly sorry to hear that, you deserved better. I shall see to this personally.",
        "Please accept my apologies. Let us put it right for you.",
    ),
    "feel_trust": (
        "You do well to ask. You are free to pay after the work is done, and nobody here will want your PIN.",
        "Your caution is wise. Nothing is due before you come, and the PIN is for you alone.",
    ),
    "feel_hurry": (
        "Understood, I shall not keep you.",
        "Very well, I will be brief.",
    ),
    "feel_budget": (
        "I understand you perfectly, and the price I mention is the final one.",
        "Every shilling counts, I know. You will not be asked for anything on top.",
    ),
    "feel_unsure": (
        "There is no hurry at all, think it over in peace.",
        "Do not trouble yourself, we can still alter it later on.",
    ),
    "off_topic": (
        "Ah, there you have me. My little world is the salon's appointment book.",
        "I am sorry, that is outside what I know; it is only salon bookings with me.",
    ),
    "pin_warning": (
        "Please, my dear, keep that PIN to yourself and never write it in a chat. It belongs in the M-Pesa request on your phone alone.",
        "A word of caution: a PIN is nobody's business, ours included. Type it on your phone when M-Pesa asks, nowhere else.",
    ),
    "unclear": (
        "Forgive me, I did not quite catch your meaning.",
        "I beg your pardon, that one escaped me.",
    ),
    "all_set": (
        "You are safely in the book for {service}, {day} at {time}.",
        "Everything stands as agreed: {service} on {day} at {time}.",
    ),
    "ack": ("Very well.", "Wonderful.", "Very good.", "With pleasure."),
    "your_phone": ("your mobile",),
    "number_ending": ("the line which ends in {digits}",),
}
