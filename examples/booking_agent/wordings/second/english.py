"""A second receptionist's English, written by somebody who had not read how the offline judge scores."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

ENGLISH: Bank = {
    "greet": (
        "Karibu, this is the front desk at Salon Amani.",
        "Hi dear, Salon Amani here.",
        "Good to have you on the line, it's Salon Amani.",
        "Hey, nice of you to text us at Salon Amani.",
    ),
    "ask_service": (
        "What are we doing for you this time round?",
        "What should I slot you in for?",
        "Is it your hair, your nails or some pampering that you want?",
        "What did you have in mind?",
    ),
    "ask_kind": (
        "People usually go for {options}. Which one is you?",
        "Two ways to go: {options}. What do you fancy?",
        "It's either {options}. Which one do I write down?",
    ),
    "price": (
        "{Service} {will} set you back {price}.",
        "We do {service} at {price}.",
        "That's {price} for {service}.",
        "{Service} here {be} {price}, everything included.",
    ),
    "price_list": (
        "Just so you know the range, {options}.",
        "Our rates run like this: {options}.",
        "A few of them: {options}.",
    ),
    "ask_day": (
        "When can we expect you?",
        "What day are you free to pass by?",
        "Which day should I open the diary on?",
        "So when do I put you down?",
    ),
    "ask_time": (
        "I can squeeze you in on {day} at {slots}. What's good for you?",
        "The chair is free on {day} at {slots}. Which one do I give you?",
        "{day} still has {slots}. What hour do you want?",
        "Let me see {day}... there's {slots}. Which is easiest for you?",
    ),
    "ask_time_one": (
        "I'm down to {slots} only on {day}. Do I hold it?",
        "{day} is almost gone, just {slots} remaining. Is that alright with you?",
    ),
    "suggest_time": (
        "Let me propose {slots} on {day}. Is that alright with you?",
        "Then {slots} on {day}, do we go with that?",
    ),
    "taken": (
        "Eish, {time} went to another client.",
        "My bad, {time} is occupied.",
        "Another lady beat you to {time}.",
    ),
    "full": (
        "{day} is packed, we can't fit in one more person.",
        "Every chair is spoken for on {day}.",
    ),
    "closed": (
        "Sunday we don't open the shop.",
        "On Sundays everybody is off here.",
    ),
    "not_then": (
        "Around those hours we're packed, pole.",
        "I don't see a gap around then.",
    ),
    "ask_name": (
        "Who am I expecting?",
        "Kindly share your name so I can write it in.",
        "Under whose name?",
        "What do we call you?",
    ),
    "confirm": (
        "Sorted{vocative}. I have you in the diary for {service}, {day}, {time}, at {price}.",
        "It's in the book{vocative}: {day} {time}, {service}, {price} in total.",
        "Noted{vocative}, {service} it is, {day} at {time}. You'll part with {price}.",
    ),
    "ask_payment": (
        "Do you want to clear it by M-Pesa right away or once you're in the chair?",
        "Should the M-Pesa request come to your phone now, or you'd rather pay here?",
        "Is it M-Pesa now or money on the day?",
    ),
    "push": (
        "{price} has been requested on {phone}. Approve it with your PIN over there, don't type it to me, then text back.",
        "You'll see a pop-up of {price} on {phone}. The PIN is for that screen alone. Shout when you're through.",
        "M-Pesa is asking {phone} for {price}. Authorise it on that screen, keep the PIN off this chat, and I'll look out for it.",
    ),
    "push_again": (
        "Let me fire it off again, give {phone} a few seconds.",
        "Okay, second attempt has gone out to {phone}.",
    ),
    "push_failed": (
        "Safaricom is misbehaving, so let's leave the {price} for when you're here.",
        "Let's drop it, bring the {price} along on the day.",
    ),
    "push_wait": (
        "Nothing has landed here yet, so finish it on your handset and text me.",
        "The request is still open on your side; approve it there whenever you're ready.",
    ),
    "paid": (
        "Confirmed, the {price} has reached us. Your code is {receipt}.",
        "I can see your {price}, much appreciated. The M-Pesa code reads {receipt}.",
        "The {price} is here with us, code {receipt}. Thanks a lot.",
    ),
    "at_salon": (
        "Very fine, the {price} can wait till you're here.",
        "Cool, bring the {price} with you.",
    ),
    "see_you": (
        "Catch you on {weekday}, {time}. Be blessed!",
        "{weekday} at {time} then, can't wait to host you.",
        "Till {weekday}, {time}. Enjoy the rest of your day!",
    ),
    "goodbye": (
        "Anytime{vocative}. Till {weekday}, stay well!",
        "It was nice chatting{vocative}. Let's meet on {weekday}, safe days till then.",
        "Same to you{vocative}. Catch you {weekday}, ciao!",
    ),
    "goodbye_open": (
        "Alright then, enjoy the rest of your day!",
        "Text us when you're ready. Stay well!",
        "It's all good, till next time. Cheers!",
    ),
    "cancelled": (
        "I've crossed it out of the diary, no charges on your side.",
        "That booking is gone and you don't owe a shilling.",
    ),
    "cancelled_refund": (
        "I've crossed it out, and the {price} will be reversed to your line by tomorrow.",
        "That booking is gone; expect your {price} back on M-Pesa in 24 hours.",
    ),
    "door_open": (
        "If plans change, you know where to find us. Stay well!",
        "Hope to have you another day. Cheers!",
    ),
    "moved": (
        "Easy, let me rub out the old one.",
        "That can be arranged.",
        "I've shifted it.",
    ),
    "robot": (
        "You got me, I'm software that answers for Salon Amani. The hands in the salon are human.",
        "I'm a bot looking after the diary, and the team behind me are flesh and blood.",
    ),
    "human": (
        "Let me get Wambui from the front to phone you in a bit.",
        "I'm passing you on to Wambui, she'll ring.",
    ),
    "place": (
        "Find us on {place}. You can leave your car inside the compound.",
        "The salon is on {place}, with a guarded parking.",
    ),
    "hours": (
        "The doors open 8:30am and we lock up at 6:30pm, Sundays excluded.",
        "Monday through Saturday, 8:30am till 6:30pm.",
    ),
    "duration": (
        "Set aside {hours} for {service}.",
        "{Service} normally {take} {hours}.",
    ),
    "duration_unknown": (
        "Anything from thirty minutes for the small jobs up to five hours for braiding.",
        "Braiding can eat half your day, nails are done within the hour.",
    ),
    "discount": (
        "I wish I could, dear, but that is the rate for everybody and nothing gets added later.",
        "There's no room to go lower, but you also won't be surprised with anything on top.",
    ),
    "services": (
        "Name it: plaiting, blow-dry, nails, skin, body massage, face beat.",
        "We handle hair of all kinds, nails, facials, massages and make-up.",
    ),
    "feel_upset": (
        "Ah, that must have hurt, and I apologise. I'm personally following this one up.",
        "Pole sana for what happened, you deserved better from us.",
    ),
    "feel_trust": (
        "Fair concern: you can see the work first and pay after, and your PIN is none of our business.",
        "With all the conmen around I get it. No deposit needed, and never give out that PIN.",
    ),
    "feel_hurry": (
        "I'll be brief.",
        "Two taps and you're done.",
    ),
    "feel_budget": (
        "Times are hard, I know, and what I quote is exactly what leaves your pocket.",
        "I feel you, so here is the honest figure with nothing hiding behind it.",
    ),
    "feel_unsure": (
        "Think it over, I'm not going anywhere.",
        "You can always switch, it's not cast in stone.",
    ),
    "off_topic": (
        "Hehe, ask me about hair instead, that's my lane.",
        "For that one you'd need somebody cleverer than the salon diary.",
        "Outside my department, dear, I just fill the diary.",
    ),
    "pin_warning": (
        "Woah, delete that. Nobody should know your PIN, not even me.",
        "Guard that PIN, dear. It's for the pop-up on your handset and nowhere else.",
    ),
    "unclear": (
        "Come again, I missed that.",
        "I'm a bit lost there, say it another way.",
        "That one flew over my head.",
    ),
    "all_set": (
        "Nothing has changed, it's {service}, {day}, {time}.",
        "I still have you in the diary for {service}, {day}, {time}.",
    ),
    "ack": ("Noted.", "Alright.", "Fair enough.", "Cool."),
    "your_phone": ("your line",),
    "number_ending": ("your line ending in {digits}",),
}
