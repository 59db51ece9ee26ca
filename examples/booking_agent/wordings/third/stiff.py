"""The third voice's stiff register: an office notice instead of a chat. One wording a purpose, so nothing varies."""

# ruff: noqa: E501, SIM905 - wordings read better on one line, and so do their purposes

from examples.booking_agent.wordings import Bank


def _bank(purposes: tuple[str, ...], lines: str) -> Bank:
    """One line for each purpose, in their order."""
    return {purpose: (line,) for purpose, line in zip(purposes, lines.strip().splitlines(), strict=True)}


_PURPOSES = tuple(
    "greet ask_service ask_kind price price_list ask_day ask_time ask_time_one suggest_time taken full closed not_then "
    "ask_name confirm ask_payment push push_again push_failed push_wait paid at_salon see_you goodbye goodbye_open "
    "cancelled cancelled_refund door_open moved robot human place hours duration duration_unknown discount services "
    "feel_upset feel_trust feel_hurry feel_budget feel_unsure off_topic pin_warning unclear all_set ack your_phone "
    "number_ending".split()
)

STIFF_ENGLISH: Bank = _bank(
    _PURPOSES,
    """
Welcome to the Salon Amani booking service. This is a self-service channel.
Kindly indicate the service required: which service?
Service types: {options}. Kindly indicate one type: which type?
Service: {service}. Amount: {price}.
List of charges: {options}.
Kindly indicate the date required: which date?
Date: {day}. Open times: {slots}. Kindly indicate the time required: which time?
Date: {day}. Open time: {slots}. Kindly indicate acceptance: yes or no?
Suggested date and time: {day}, {slots}. Kindly indicate acceptance: yes or no?
The time {time} cannot be allocated.
The date {day} cannot be allocated.
The date {day} falls outside working days.
No time can be allocated in that period.
Kindly indicate the full name of the client: which name?
Reservation completed. Service: {service}. Date: {day}. Time: {time}. Amount: {price}.
Kindly indicate the payment mode: M-Pesa or cash at the premises?
A payment notification for {price} was issued to {phone}. The client is required to enter the PIN on the handset and to report completion.
A second payment notification was issued to {phone}.
Payment not completed. The amount of {price} shall be paid at the premises.
Payment status: not completed. The client is required to complete it on the handset.
Payment status: completed. Amount: {price}. Receipt: {receipt}.
The amount of {price} shall be paid at the premises.
Appointment: {weekday}, {time}. Thank you for choosing our services. Goodbye.
Appointment: {weekday}. Thank you for choosing our services. Goodbye.
Thank you for choosing our services. Goodbye.
Reservation cancelled. Amount due: none.
Reservation cancelled. The amount of {price} shall be refunded through M-Pesa within one day.
Thank you for choosing our services. Goodbye.
The reservation record was updated.
This is a computerised booking service.
The enquiry was referred to reception. A call shall be made to the client.
Address: {place}. Parking: available.
Working hours: Monday to Saturday, 8:30am to 6:30pm.
Service: {service}. Duration: {hours}.
Duration: thirty minutes to five hours, subject to the service.
Discounts: none. Additional charges: none.
Services: braids, cornrows, blow-dry, nails, facial, massage, make-up.
Sorry. The complaint was noted.
Payment is safe and may be made at the premises after the service. The PIN shall not be requested.
The enquiry shall be handled quickly.
The remark is understood. The price is final and excludes nothing.
There is no pressure. The choice can be amended later.
The enquiry does not concern reservations and cannot be handled.
The client is required not to disclose the PIN and to enter it on the handset only.
The message could not be interpreted.
Reservation on record. Service: {service}. Date: {day}. Time: {time}.
Entry noted.
the registered handset
the handset with number ending {digits}
""",
)

STIFF_SWAHILI: Bank = _bank(
    _PURPOSES,
    """
Karibu katika huduma ya uhifadhi ya Salon Amani. Hii ni njia ya kujihudumia.
Tafadhali onyesha huduma inayotakiwa: huduma ipi?
Aina za huduma: {options}. Tafadhali onyesha aina moja: aina ipi?
Huduma: {service}. Kiasi: {price}.
Orodha ya gharama: {options}.
Tafadhali onyesha tarehe inayotakiwa: tarehe ipi?
Tarehe: {day}. Nyakati zilizo wazi: {slots}. Tafadhali onyesha wakati unaotakiwa: wakati upi?
Tarehe: {day}. Wakati ulio wazi: {slots}. Tafadhali onyesha kukubali: ndiyo au hapana?
Tarehe na wakati uliopendekezwa: {day}, {slots}. Tafadhali onyesha kukubali: ndiyo au hapana?
Wakati {time} hauwezi kutengwa.
Tarehe {day} haiwezi kutengwa.
Tarehe {day} iko nje ya siku za kazi.
Hakuna wakati unaoweza kutengwa katika kipindi hicho.
Tafadhali onyesha jina kamili la mteja: jina lipi?
Uhifadhi umekamilika. Huduma: {service}. Tarehe: {day}. Wakati: {time}. Kiasi: {price}.
Tafadhali onyesha aina ya malipo: M-Pesa au taslimu kwenye ofisi?
Arifa ya malipo ya {price} ilitolewa kwa {phone}. Mteja anatakiwa kuingiza PIN kwenye kifaa na kuripoti ukamilifu.
Arifa ya pili ya malipo ilitolewa kwa {phone}.
Malipo hayakukamilika. Kiasi cha {price} kitalipwa kwenye ofisi.
Hali ya malipo: hayajakamilika. Mteja anatakiwa kukamilisha kwenye kifaa.
Hali ya malipo: yamekamilika. Kiasi: {price}. Risiti: {receipt}.
Kiasi cha {price} kitalipwa kwenye ofisi.
Miadi: {weekday}, {time}. Asante kwa kuchagua huduma zetu. Kwaheri.
Miadi: {weekday}. Asante kwa kuchagua huduma zetu. Kwaheri.
Asante kwa kuchagua huduma zetu. Kwaheri.
Uhifadhi umebatilishwa. Kiasi kinachodaiwa: hakuna.
Uhifadhi umebatilishwa. Kiasi cha {price} kitarejeshwa kupitia M-Pesa ndani ya siku moja.
Asante kwa kuchagua huduma zetu. Kwaheri.
Rekodi ya uhifadhi imesasishwa.
Hii ni huduma ya uhifadhi ya kompyuta.
Swali limepelekwa mapokezi. Mteja atapigiwa simu.
Anwani: {place}. Maegesho: yanapatikana.
Saa za kazi: Jumatatu hadi Jumamosi, 8:30am hadi 6:30pm.
Huduma: {service}. Muda: {hours}.
Muda: dakika thelathini hadi saa tano, kulingana na huduma.
Punguzo: hakuna. Gharama za ziada: hakuna.
Huduma: kusuka, kukausha nywele, kucha, facial, masaji, makeup.
Pole. Lalamiko limeandikwa.
Malipo ni salama na yanaweza kufanywa kwenye ofisi baada ya huduma. PIN haitaombwa.
Swali litashughulikiwa haraka.
Maoni yameeleweka. Bei ni ya mwisho.
Hakuna shinikizo. Chaguo linaweza kurekebishwa baadaye.
Swali halihusu uhifadhi na haliwezi kushughulikiwa.
Mteja anatakiwa kutotoa PIN na kuiingiza kwenye kifaa pekee.
Ujumbe haukuweza kufasiriwa.
Uhifadhi uliopo. Huduma: {service}. Tarehe: {day}. Wakati: {time}.
Ingizo limeandikwa.
kifaa kilichosajiliwa
kifaa chenye nambari inayoishia {digits}
""",
)

STIFF_MIXED: Bank = _bank(
    _PURPOSES,
    """
Karibu katika booking service ya Salon Amani. Hii ni self-service channel.
Kindly onyesha service inayotakiwa: service ipi?
Service types: {options}. Kindly onyesha type moja: type ipi?
Service: {service}. Kiasi: {price}.
Orodha ya charges: {options}.
Kindly onyesha date inayotakiwa: date ipi?
Date: {day}. Open times: {slots}. Kindly onyesha time inayotakiwa: time ipi?
Date: {day}. Open time: {slots}. Kindly onyesha acceptance: ndiyo or hapana?
Suggested date na wakati: {day}, {slots}. Kindly onyesha acceptance: ndiyo or hapana?
Time {time} haiwezi kuwa allocated.
Date {day} haiwezi kuwa allocated.
Date {day} iko nje ya working days.
Hakuna time inayoweza kuwa allocated katika kipindi hicho.
Kindly onyesha full name ya mteja: jina lipi?
Reservation imekamilika. Service: {service}. Date: {day}. Wakati: {time}. Kiasi: {price}.
Kindly onyesha payment mode: M-Pesa or taslimu at the premises?
Payment notification ya {price} ilitolewa kwa {phone}. Client anatakiwa kuingiza PIN on the handset na kuripoti completion.
Second payment notification ilitolewa kwa {phone}.
Payment haikukamilika. Kiasi cha {price} kitalipwa at the premises.
Payment status: haijakamilika. Client anatakiwa kukamilisha on the handset.
Payment status: imekamilika. Kiasi: {price}. Receipt: {receipt}.
Kiasi cha {price} kitalipwa at the premises.
Appointment: {weekday}, {time}. Asante kwa kuchagua our services. Goodbye.
Appointment: {weekday}. Asante kwa kuchagua our services. Goodbye.
Asante kwa kuchagua our services. Goodbye.
Reservation imebatilishwa. Amount due: hakuna.
Reservation imebatilishwa. Kiasi cha {price} kitarejeshwa through M-Pesa ndani ya siku moja.
Asante kwa kuchagua our services. Goodbye.
Reservation record imesasishwa.
Hii ni computerised booking service ya salon.
Enquiry imepelekwa reception. Client atapigiwa simu.
Address: {place}. Parking: inapatikana.
Working hours: Monday hadi Saturday, 8:30am to 6:30pm.
Service: {service}. Muda: {hours}.
Muda: thirty minutes hadi five hours, kulingana na service.
Discounts: hakuna. Additional charges: hakuna.
Services: kusuka, blow-dry, nails, facial, massage na makeup.
Pole. Complaint imeandikwa.
Payment ni safe na inaweza kufanywa at the premises baada ya service. PIN haitaombwa.
Enquiry itashughulikiwa quickly.
Remark imeeleweka. Price ni final.
Hakuna pressure. Choice inaweza kurekebishwa later.
Enquiry haihusu reservations na haiwezi kushughulikiwa.
Client anatakiwa kutotoa PIN na kuiingiza on the handset pekee.
Message haikuweza kufasiriwa.
Reservation on record, iko. Service: {service}. Date: {day}. Wakati: {time}.
Entry imeandikwa.
registered handset yako
handset yenye number inayoishia {digits}
""",
)
