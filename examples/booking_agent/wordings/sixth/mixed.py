"""The sixth voice's mix of Swahili, English and Sheng: a young man at a barber and beauty shop, texting."""

from examples.booking_agent.wordings import Bank

MIXED: Bank = {
    "greet": (
        "Niaje, hapa ni Salon Amani, karibu!",
        "Hey, umefika Salon Amani. Poa sana umetutext.",
        "Mambo, karibu Salon Amani 🙂",
    ),
    "ask_service": (
        "Tukusort na nini?",
        "Unadai service gani?",
        "Niambie, unataka kufanyiwa nini hapa shop?",
    ),
    "ask_kind": (
        "Kuna {options}. Unachukua gani?",
        "Hapa unaweza pata {options}. Unapenda gani?",
        "Unadai {options}?",
    ),
    "price": (
        "{Service} tunado for {price}.",
        "{Service} hapa shop ni {price}.",
        "Kwa {service} utatoa {price}.",
    ),
    "price_list": (
        "Prices ziko hivi: {options}.",
        "Depends na kitu unataka. Kuna {options}.",
    ),
    "ask_day": (
        "Unadai kukam day gani?",
        "Unaplan kukuja lini?",
        "Siku gani ni poa kwako?",
    ),
    "ask_time": (
        "{day} iko poa. Niko na {slots}, unadai gani?",
        "Nimecheki {day}, kuna {slots}. Utaweza fika saa ngapi?",
        "{day} unaweza pata {slots}. Nikuwekee time gani?",
    ),
    "ask_time_one": (
        "{day} imebaki slot moja, {slots}. Unaidai?",
        "{day} iko almost full, niko na {slots} tu. Hiyo iko sawa na wewe?",
    ),
    "suggest_time": (
        "Kuna {slots} {day}. Unachukua hiyo?",
        "Vipi kuhusu {slots} on {day}?",
    ),
    "taken": (
        "Pole, {time} imeshaenda.",
        "Kuna mtu amechukua {time}, sorry.",
        "Sorry, {time} iko booked na mtu mwingine.",
    ),
    "full": (
        "Pole, {day} imejaa kabisa.",
        "Sorry, {day} sina slot imebaki.",
    ),
    "closed": (
        "Pole, Sunday hatuko open.",
        "Sunday ni off yetu, so siwezi kukubook hiyo day.",
    ),
    "not_then": (
        "Sorry, slots za hiyo time zote zimeenda.",
        "Pole, sina kiti free around hiyo time.",
    ),
    "ask_name": (
        "Unaitwa nani?",
        "Nabookia nani hapa?",
        "Naweza pata jina yako, please?",
    ),
    "confirm": (
        "Uko ndani{vocative}! {Service} {day} at {time}, na ni {price}.",
        "Poa{vocative}, nimekubookia {service} {day} at {time}. Hiyo ni {price}.",
        "Imeweza{vocative}, unakuja for {service} {day} at {time}. Utalipa {price}.",
    ),
    "ask_payment": (
        "Unalipa na M-Pesa sahii ama ukifika?",
        "Nikutumie M-Pesa prompt sahii, ama utalipa ukikam?",
        "Ni M-Pesa sahii ama cash ukikuja?",
    ),
    "push": (
        "Nishatuma M-Pesa prompt ya {price} kwa {phone}. PIN iweke kwa simu, usinitumie, alafu uniambie ikienda.",
        "M-Pesa prompt ya {price} iko kwa {phone} sahii. PIN ni ya simu yako tu, nitext payment ikipita.",
        "Please cheki {phone}, kuna M-Pesa prompt ya {price}. Iapprove kwa simu then unishtue.",
    ),
    "push_again": (
        "Sawa, nimeituma mara ingine, cheki {phone}.",
        "Pole kwa hiyo, prompt ingine inakam kwa {phone}.",
    ),
    "push_failed": (
        "M-Pesa inasumbua leo, so lipa tu {price} ukifika shop.",
        "Bado inakataa. Usistress, utalipa {price} hapa kwetu.",
    ),
    "push_wait": (
        "Hakuna kitu imeingia bado. Nishow ukishaiapprove kwa simu.",
        "Kwangu bado iko pending. Nitext ukishaweka PIN kwa simu yako.",
    ),
    "paid": (
        "Nimeona {price} yako, thank you! Receipt ni hii, {receipt}.",
        "Asante, {price} yako imeingia. Receipt number ni {receipt}, iweke.",
        "Payment yako ya {price} imepita, receipt number {receipt}. Asante!",
    ),
    "at_salon": (
        "Poa, utalipa {price} ukiwa hapa.",
        "Iko sawa, lipa {price} tukimaliza kazi.",
    ),
    "see_you": (
        "Tuonane {weekday} at {time}, uwe na day poa!",
        "Thanks, tutakuwa ready kukusort {weekday} at {time}.",
        "Sawa, tuonane {weekday} at {time} 🙂",
    ),
    "goodbye": (
        "Karibu{vocative}! Sawa, tuonane {weekday}, bye.",
        "Anytime{vocative}, tuonane {weekday}. Uwe na day poa!",
        "Poa{vocative}, thanks kwa kubook na sisi. Bye, see you {weekday}!",
    ),
    "goodbye_open": (
        "Thanks kwa message, uwe na day poa. Bye!",
        "Hakuna noma, tutext ukiwa ready. Siku njema!",
        "Sawa, tuko hapa ukituhitaji. Bye!",
    ),
    "cancelled": (
        "Hakuna noma, nimeicancel na hatukudai kitu.",
        "Imecancelliwa, na hakuna charge yoyote.",
    ),
    "cancelled_refund": (
        "Imecancelliwa, na utarudishiwa {price} kwa M-Pesa within a day.",
        "Nimeicancel na tunarefund {price} yako. Itakuwa kwa M-Pesa yako by kesho.",
    ),
    "door_open": (
        "Nitext siku yoyote unataka kukuja. Bye!",
        "Tutafurahi kukusort siku ingine. Uwe na day poa!",
    ),
    "moved": (
        "Hakuna noma, nimeimove.",
        "Sawa, nimekuchangia hiyo.",
        "Poa, nimefanya hiyo change.",
    ),
    "robot": (
        "Yeah, mimi ni chat assistant wa Salon Amani, si mtu. Team ya shop ni watu kabisa 🙂",
        "Mimi ni bot ya kubook tu, but barbers na stylists wetu ni watu.",
    ),
    "human": (
        "Sawa, nitaambia Njeri wa front desk akucall.",
        "Poa, Njeri atakupigia after dakika chache.",
    ),
    "place": (
        "Tuko hapo {place}. Unaweza park ndani for free.",
        "Shop iko {place}, na kuna free parking.",
    ),
    "hours": (
        "Tunafungua 8:30am na tunafunga 6:30pm, Monday to Saturday.",
        "Utatupata hapa Monday to Saturday, kutoka 8:30am hadi 6:30pm.",
    ),
    "duration": (
        "Tunahitaji around {hours} kwa {service}.",
        "{Service} inachukua {hours} hivi.",
    ),
    "duration_unknown": (
        "Inaweza kuwa half an hour ama five hours, depends na service.",
        "Nails zinataka one hour hivi, braids four ama five.",
    ),
    "discount": (
        "Pole, hatuna offer sahii. But hutalipishwa kitu extra.",
        "Price haishuki, pole, but inacover kila kitu.",
    ),
    "services": (
        "Tunado hair, haircuts, nails, facials, massage na makeup.",
        "Hapa unaweza pata braids, haircut, nails, lashes, facial na massage.",
    ),
    "feel_upset": (
        "Pole kwa hiyo. Nitahakikisha umehudumiwa poa.",
        "Hiyo haiko sawa, pole sana.",
    ),
    "feel_trust": (
        "Nakuget. Unaweza lipa after kazi, na hatuwezi kukuuliza PIN.",
        "Ni true, huhitaji kulipa before ufike. PIN yako kaa nayo.",
    ),
    "feel_hurry": (
        "Sawa, tuifanye fasta.",
        "Nimekuget, sitakuchelewesha.",
    ),
    "feel_budget": (
        "Nakuget, price nakuambia ndio utalipa tu.",
        "Usistress, hakuna hidden charges.",
    ),
    "feel_unsure": (
        "Iko sawa, hakuna haraka.",
        "Usistress, unaweza change mind any time.",
    ),
    "off_topic": (
        "Haha, hiyo sijui. Mimi nafanya bookings tu hapa.",
        "Pole, naweza kukusaidia na booking tu.",
    ),
    "pin_warning": (
        "Usitumie mtu PIN yako, hata mimi. Iweke kwa simu yako M-Pesa ikiuliza.",
        "Please hiyo PIN kaa nayo, mimi siihitaji. Ni ya simu yako tu.",
    ),
    "unclear": (
        "Pole, hapo sijaelewa.",
        "Sorry, sijapata hiyo poa.",
    ),
    "all_set": (
        "Bado uko booked, {service} {day} at {time}.",
        "Kila kitu iko fiti, {service} {day} at {time}.",
    ),
    "ack": ("Poa.", "Fiti.", "Sawa.", "Poa sana."),
    "your_phone": ("line yako ya simu",),
    "number_ending": ("line inaishia {digits}",),
}
