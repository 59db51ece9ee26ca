"""The tenth voice's Swahili: an elder's good and gentle Swahili, upcountry by address and coastal by upbringing."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

SWAHILI: Bank = {
    "greet": (
        "Habari ya wakati huu, na karibu sana Salon Amani.",
        "Karibu mno mpendwa, hapa ni Salon Amani.",
        "Salaam kutoka kwetu sote hapa Salon Amani, karibu.",
    ),
    "ask_service": (
        "Haya, tukuhudumie kwa jambo gani?",
        "Niambie, ulikuwa umewazia nini, nywele, kucha, au kuupumzisha mwili kidogo?",
        "Je, tuwe tayari kukufanyia nini?",
    ),
    "ask_kind": (
        "Tunazo {options}. Moyo wako unaelekea wapi?",
        "Inaweza kuwa {options}, na zote ni nzuri. Niandike ipi?",
        "Hapo kuna njia mbili, {options}. Wewe waonaje?",
    ),
    "price": (
        "Kwa {service}, gharama ni {price} na kila kitu kimo.",
        "{Service}, hiyo huwa tunafanya kwa {price}.",
        "Malipo ya {service} kwetu ni {price}.",
    ),
    "price_list": (
        "Ili upate picha: {options}.",
        "Hizi hapa baadhi ya gharama zetu: {options}.",
    ),
    "ask_day": (
        "Ungetaka tukupokee siku gani?",
        "Je, ni siku ipi utakuwa na wasaa wa kutosha?",
        "Una siku uliyokuwa umeifikiria, mpendwa?",
    ),
    "ask_time": (
        "Nimetazama daftari, na {day} kuna {slots}. Ungechagua saa ipi?",
        "{day} tunaweza kukupokea {slots}. Niandike saa ngapi?",
        "Nafasi hizi ziko huru {day}: {slots}. Ni wakati gani utakuwa rahisi kwako?",
    ),
    "ask_time_one": (
        "{day} imesalia nafasi moja tu, {slots}. Je, utaipokea?",
        "Kwa {day} ninayo {slots} peke yake. Utaridhika nayo?",
    ),
    "suggest_time": (
        "Naomba nipendekeze {slots}, {day}, waonaje?",
        "Ninaweza kukutunzia {slots}, {day}. Je, utafurahi na hiyo?",
    ),
    "taken": (
        "Niwie radhi, {time} kuna mgeni mwingine daftarini.",
        "Ah, {time} imetangulia kuombwa na mwingine, samahani sana.",
        "Pole mpendwa, {time} haiko wazi tena.",
    ),
    "full": (
        "Nasikitika, viti vyote vina wenyewe {day}.",
        "Niwie radhi, {day} tumejaa pomoni.",
    ),
    "closed": (
        "Jumapili milango yetu hufungwa, ili kila mtu akae na familia yake.",
        "Siku ya Jumapili ni ya mapumziko kwetu, niwie radhi.",
    ),
    "not_then": (
        "Samahani mpendwa, saa hizo tayari zina wenyewe.",
        "Nasikitika, sehemu hiyo ya siku haina nafasi tena.",
    ),
    "ask_name": (
        "Na tutakuwa tukimsubiri nani, naomba jina lako?",
        "Daftarini niandike jina gani?",
        "Ninazungumza na nani, tafadhali?",
    ),
    "confirm": (
        "Nimeandika daftarini{vocative}: {service}, {day}, {time}, kwa {price}.",
        "Vema sana{vocative}. Tutakupokea kwa {service} {day}, {time}, na gharama itakuwa {price}.",
        "Mambo yamepangwa{vocative}: {service}, {day}, {time}, na bei ni {price}.",
    ),
    "ask_payment": (
        "Je, utapenda kulipa kwa M-Pesa sasa, au siku yenyewe ukiwa hapa?",
        "Kuhusu malipo, iwe M-Pesa leo au utatulipa ukishafika?",
        "Nikutumie ombi la M-Pesa kwenye simu, au waona afadhali kulipa hapa salon?",
    ),
    "push": (
        "Tayari nimelituma ombi la M-Pesa la {price} kwa {phone}. PIN iandike kwenye simu yenyewe, kamwe si hapa, kisha unifahamishe tafadhali.",
        "Hivi punde utaona ombi la M-Pesa la {price} kwa {phone}. Likubali huko huko, PIN ibaki siri yako, halafu nipe habari.",
        "Kuna ombi la M-Pesa la {price} linalosubiri kwa {phone}. Lisome, ulikubali kwa wakati wako, kisha uniarifu.",
    ),
    "push_again": (
        "Ngoja nilitume mara nyingine. Tafadhali tazama {phone} baada ya dakika moja.",
        "Usiwe na wasiwasi, haya hutokea. Ombi la pili linaelekea kwa {phone}.",
    ),
    "push_failed": (
        "M-Pesa ina ukaidi leo, basi tuiache, na utalipa {price} ukiwa hapa.",
        "Tusisumbuke tena na simu. Hiyo {price} utatupatia siku utakapofika.",
    ),
    "push_wait": (
        "Hakuna pupa. Ombi liko kwenye simu yako mpaka ulikubali, nami nipo.",
        "Kwa upande wangu bado hayajaingia, lakini chukua muda wako na unieleze ukishalikubali ombi.",
    ),
    "paid": (
        "Ahsante sana, {price} zimetufikia. Risiti iliyotoka M-Pesa ni {receipt}.",
        "Malipo yako ya {price} yamefika salama. Tafadhali itunze nambari ya risiti, {receipt}.",
        "Yote yamelipwa, {price}, kwa risiti {receipt}. Tunashukuru mno.",
    ),
    "at_salon": (
        "Bila shaka, {price} utalipa ukiwa nasi hapa.",
        "Hilo halina neno, njoo na {price} siku hiyo.",
    ),
    "see_you": (
        "Kiti chako kitakuwa kinakusubiri {weekday}, {time}.",
        "Itakuwa furaha kukupokea {weekday}, {time}. Ukae salama hadi hapo.",
        "Basi hadi {weekday}, {time}. Mungu akubariki, na uwe na siku tulivu.",
    ),
    "goodbye": (
        "Imekuwa furaha yangu{vocative}. Hadi {weekday}, nenda salama.",
        "Una moyo mwema{vocative}. Tutaonana {weekday}, ubarikiwe.",
        "Ahsante{vocative}. Kaa vyema, tukutane {weekday}.",
    ),
    "goodbye_open": (
        "Ahsante kwa kutufikiria. Nenda salama, na kwaheri kwa sasa.",
        "Imekuwa vyema kusikia kutoka kwako. Siku yako iwe tulivu, kwaheri.",
        "Karibu kwetu wakati utakapopenda. Ubaki salama, kwaheri.",
    ),
    "cancelled": (
        "Nimekuondoa daftarini, na hatukudai hata shilingi.",
        "Hilo limefutwa mpendwa, na hakuna gharama ya aina yoyote.",
    ),
    "cancelled_refund": (
        "Nafasi imefutwa, na {price} zako zitarudi kwenye M-Pesa kabla ya wakati kama huu kesho.",
        "Nimekuondoa daftarini. {price} zote tutakurejeshea kwa M-Pesa katika muda wa siku moja.",
    ),
    "door_open": (
        "Mlango wetu uko wazi wakati wowote upendao kuja. Nenda salama.",
        "Pengine siku nyingine. Tutafurahi kusikia kutoka kwako, kwaheri kwa sasa.",
    ),
    "moved": (
        "Kwa furaha, nimelibadilisha daftarini.",
        "Hilo si taabu hata kidogo, tulibadilishe.",
        "Naam, nitalipanga upya.",
    ),
    "robot": (
        "Umepatia, mimi ni msaidizi wa kompyuta. Mikono inayofanya kazi hapa ni ya binadamu, nakuhakikishia.",
        "Mimi ni programu ya kompyuta inayotunza daftari la salon, ndiyo. Wengine wote hapa ni watu wa damu na nyama.",
    ),
    "human": (
        "Bila shaka. Njeri wa mapokezi atakupigia simu muda si mrefu.",
        "Nitamwomba Njeri aliye mapokezi akupigie, tafadhali uwe karibu na simu.",
    ),
    "place": (
        "Utatuona {place}. Magari huegeshwa nyuma ya jengo, bure kwa wageni wetu.",
        "Nyumba yetu iko {place}, na nyuma kuna maegesho yasiyolipiwa.",
    ),
    "hours": (
        "Milango yetu hufunguliwa 8:30am na kufungwa 6:30pm, Jumatatu mpaka Jumamosi.",
        "Tunapokea wageni Jumatatu hadi Jumamosi, tangu 8:30am hadi 6:30pm.",
    ),
    "duration": (
        "Tenga {hours} hivi kwa {service}, sisi hatuna papara.",
        "{Service} huchukua {hours}, zaidi au pungufu kidogo.",
    ),
    "duration_unknown": (
        "Hutegemea utakachochagua: nusu saa kwa mambo madogo, hadi saa tano kwa kusuka.",
        "Kucha huhitaji saa moja hivi, na msuko mzuri waweza kukuweka hapa saa nne au tano.",
    ),
    "discount": (
        "Ningependa sana, ila bei zetu ni moja kwa watu wote. Angalau hakuna kinachoongezwa baadaye.",
        "Niwie radhi, bei itabaki ile ile, lakini ndiyo yote bila nyongeza.",
    ),
    "services": (
        "Tunatunza nywele za kila aina, kucha, uso, masaji na makeup.",
        "Kusuka, blow-dry, kucha, facial, masaji, makeup: yote hufanywa hapa, na kwa uangalifu.",
    ),
    "feel_upset": (
        "Nasikitika sana kusikia hayo, ulistahili mema zaidi. Nitalishughulikia mwenyewe.",
        "Tafadhali pokea radhi zangu. Tutalitengeneza liwe sawa.",
    ),
    "feel_trust": (
        "Umefanya vyema kuuliza. Uko huru kulipa baada ya kazi, na hakuna hapa atakayetaka PIN yako.",
        "Tahadhari yako ni ya busara. Hakuna malipo kabla ya kufika, na PIN ni yako peke yako.",
    ),
    "feel_hurry": (
        "Nimekuelewa, sitakukawiza.",
        "Vema, nitasema kwa ufupi.",
    ),
    "feel_budget": (
        "Nakuelewa kabisa, na bei nitakayotaja ndiyo ya mwisho.",
        "Kila shilingi ina maana, najua. Hutaombwa kitu juu yake.",
    ),
    "feel_unsure": (
        "Hakuna haraka hata kidogo, tafakari kwa utulivu.",
        "Usijisumbue, bado tunaweza kulibadilisha hapo baadaye.",
    ),
    "off_topic": (
        "Ah, hapo umenishinda. Dunia yangu ndogo ni daftari la salon.",
        "Samahani, hilo liko nje ya ninayoyajua; mimi ni wa nafasi za salon tu.",
    ),
    "pin_warning": (
        "Tafadhali mpendwa, PIN hiyo ibaki kwako na usiiandike katika ujumbe wowote. Mahali pake ni ombi la M-Pesa kwenye simu yako tu.",
        "Neno la tahadhari: PIN haimhusu mtu mwingine, hata sisi. Iandike kwenye simu M-Pesa ikikuuliza, si pengine popote.",
    ),
    "unclear": (
        "Niwie radhi, sikuipata maana yako vizuri.",
        "Samahani mpendwa, hilo limenipita.",
    ),
    "all_set": (
        "Umo daftarini salama: {service}, {day}, {time}.",
        "Mambo ni kama tulivyokubaliana: {service}, {day}, {time}.",
    ),
    "ack": ("Vema.", "Vyema sana.", "Naam.", "Kwa furaha."),
    "your_phone": ("simu yako ya mkononi",),
    "number_ending": ("laini inayoishia {digits}",),
}
