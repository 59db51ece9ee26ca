"""A second receptionist's Swahili, written by somebody who had not read how the offline judge scores."""

from examples.booking_agent.wordings import Bank

SWAHILI: Bank = {
    "greet": (
        "Jambo, hapa ni mapokezi ya Salon Amani.",
        "Asante kwa ujumbe wako, hapa ni Salon Amani.",
        "Umefika Salon Amani, jisikie nyumbani.",
        "Habari za leo! Mimi ni wa Salon Amani.",
    ),
    "ask_service": (
        "Tukutengeneze nini?",
        "Ni huduma ipi unayoitafuta?",
        "Ni nywele, kucha au unataka kupumzisha mwili?",
        "Ulikuwa unafikiria kufanyiwa nini?",
    ),
    "ask_kind": (
        "Wengi huchagua {options}. Wewe wapenda ipi?",
        "Hapa utapata {options}. Tuandike ipi?",
        "Zipo {options}. Unaonelea ipi?",
    ),
    "price": (
        "{Service} tunafanya kwa {price}.",
        "Gharama ya {service} ni {price}.",
        "Utalipia {service} {price}, basi.",
        "{Service} hapa kwetu ni {price}, kila kitu ndani.",
    ),
    "price_list": (
        "Kwa ufupi ziko hivi: {options}.",
        "Hebu nikutajie chache: {options}.",
        "Viwango vyetu ni {options}.",
    ),
    "ask_day": (
        "Tukutarajie lini?",
        "Utaweza kufika siku ipi?",
        "Siku ipi ni nzuri kwako?",
        "Nifungue kitabu siku gani?",
    ),
    "ask_time": (
        "{day} kiti kiko huru {slots}. Wewe wataka ipi?",
        "Nikiangalia {day}, bado kuna {slots}. Nikupe saa ipi?",
        "Kwa {day} naweza kukuingiza {slots}. Ipi ni rahisi kwako?",
        "{day} nimebakiwa na {slots}. Tuchukue gani?",
    ),
    "ask_time_one": (
        "{day} nimebakiwa na {slots} pekee. Nikushikie?",
        "{day} karibu inajaa, ipo {slots} tu. Utaweza?",
    ),
    "suggest_time": (
        "Basi tuchukue {slots}, {day}, au sivyo?",
        "Napendekeza {slots}, {day}. Utaweza kufika?",
    ),
    "taken": (
        "Lo, {time} mwenzako amekutangulia.",
        "Bahati mbaya, {time} ina mtu.",
        "Hiyo {time} ilichukuliwa mapema.",
    ),
    "full": (
        "Bahati mbaya, {day} kitabu kimejaa.",
        "Viti vyote vya {day} vina wenyewe.",
    ),
    "closed": (
        "Siku ya Jumapili duka huwa halifunguliwi.",
        "Jumapili wote huwa mapumzikoni.",
    ),
    "not_then": (
        "Mida hiyo sioni pengo lolote, niwie radhi.",
        "Kwa mida hiyo viti vyote vina watu.",
    ),
    "ask_name": (
        "Nimngoje nani?",
        "Tafadhali nipe jina lako nilijaze kitabuni.",
        "Kitabuni niandike nani?",
        "Wewe ni nani mwenzangu?",
    ),
    "confirm": (
        "Imekwisha{vocative}. Kitabuni upo: {service}, {day}, {time}, kwa {price}.",
        "Nimekuandika{vocative}: {day}, {time}, {service}, gharama {price}.",
        "Basi{vocative}, {service} ni {day}, {time}. Utatoa {price}.",
    ),
    "ask_payment": (
        "Utamaliza kwa M-Pesa saa hizi, au ukiwa hapa?",
        "Ombi la M-Pesa lije kwa simu yako sasa, au utatoa mkononi siku hiyo?",
        "Je, ni M-Pesa sasa au pesa mkononi siku hiyo?",
    ),
    "push": (
        "{price} imeombwa kwa {phone}. Kubali huko kwa PIN yako, usiniandikie mimi, kisha nishtue.",
        "Utaona ujumbe wa {price} kwa {phone}. PIN ni ya hapo tu. Ukimaliza nishtue.",
        "M-Pesa inaomba {price} kutoka kwa {phone}. Idhinisha huko huko, PIN isifike kwenye mazungumzo haya.",
    ),
    "push_again": (
        "Ngoja niirushe tena, ipe {phone} sekunde chache.",
        "Haya, jaribio la pili limetoka kwa {phone}.",
    ),
    "push_failed": (
        "Safaricom ina matatizo leo, hiyo {price} uje nayo.",
        "Tuiache hiyo, {price} utatoa ukiwa hapa.",
    ),
    "push_wait": (
        "Kwangu bado hakijaingia kitu, malizia kwa simu yako kisha nishtue.",
        "Ombi bado liko wazi upande wako, likubali ukiwa tayari.",
    ),
    "paid": (
        "Imethibitishwa, {price} imetufikia. Nambari ya muamala ni {receipt}.",
        "Naiona {price} yako, nashukuru. Nambari ya M-Pesa ni {receipt}.",
        "{price} iko kwetu, nambari {receipt}. Shukrani nyingi.",
    ),
    "at_salon": (
        "Vyema, hiyo {price} itasubiri mpaka uje.",
        "Haina neno, njoo na {price}.",
    ),
    "see_you": (
        "Basi {weekday}, {time}. Mungu akubariki!",
        "Tukutane {weekday}, {time}, tuna hamu ya kukupokea.",
        "Mpaka {weekday}, {time}. Mchana mwema!",
    ),
    "goodbye": (
        "Haya{vocative}, mpaka {weekday}. Ubaki salama!",
        "Nimefurahi kuzungumza nawe{vocative}. Tukutane {weekday}, kila la heri.",
        "Na wewe pia{vocative}. Hadi {weekday}, alamsiki!",
    ),
    "goodbye_open": (
        "Haya basi, ufurahie siku yako!",
        "Ukiwa tayari tuandikie. Ubaki salama!",
        "Yote ni heri, hadi wakati mwingine!",
    ),
    "cancelled": (
        "Nimeikata kitabuni, hutatoa hata shilingi.",
        "Hiyo miadi haipo tena, na hatukudai.",
    ),
    "cancelled_refund": (
        "Nimeikata kitabuni, na {price} itarejea kwa laini yako kabla ya kesho kuisha.",
        "Hiyo miadi haipo tena; tarajia {price} yako kwenye M-Pesa kwa saa ishirini na nne.",
    ),
    "door_open": (
        "Mipango ikibadilika unajua pa kutupata. Ubaki salama!",
        "Natumai tutakupokea siku nyingine. Kila la heri!",
    ),
    "moved": (
        "Rahisi hiyo, naifuta ya zamani.",
        "Inawezekana.",
        "Nimeihamisha.",
    ),
    "robot": (
        "Umenijua, mimi ni programu inayojibu kwa niaba ya Salon Amani. Mikono ya kazi ni ya binadamu.",
        "Mimi ni boti wa kitabu cha miadi, na nyuma yangu kuna watu wa damu na nyama.",
    ),
    "human": (
        "Ngoja nimwambie Wambui wa mbele akupigie.",
        "Nakuunganisha na Wambui, atakupigia.",
    ),
    "place": (
        "Njoo {place}. Gari utaliacha ndani ya uwanja.",
        "Duka letu liko {place}, na maegesho yana mlinzi.",
    ),
    "hours": (
        "Mlango unafunguliwa 8:30am na kufungwa 6:30pm, isipokuwa Jumapili.",
        "Jumatatu mpaka Jumamosi, 8:30am hadi 6:30pm.",
    ),
    "duration": (
        "Jipangie {hours} za {service}.",
        "{Service} kwa kawaida ni {hours}.",
    ),
    "duration_unknown": (
        "Kazi ndogo ni dakika thelathini, kusuka hufika saa tano.",
        "Kusuka hula nusu siku, kucha hazifiki saa moja na nusu.",
    ),
    "discount": (
        "Laiti ningeweza, lakini wote hulipa hivyo hivyo na hakiongezwi kitu baadaye.",
        "Kushuka zaidi haiwezekani, ila pia hutashtukizwa na malipo mengine.",
    ),
    "services": (
        "Taja tu: kusuka, blow-dry, kucha, uso, masaji, makeup.",
        "Tunashughulikia nywele za kila aina, kucha, uso, masaji na makeup.",
    ),
    "feel_upset": (
        "Aisee, lazima iliuma, na naomba radhi. Hii nitaifuatilia binafsi.",
        "Polee, ulistahili huduma bora kuliko hiyo.",
    ),
    "feel_trust": (
        "Una haki ya kuuliza: ona kazi kwanza, ulipe baadaye, na PIN yako haituhusu.",
        "Kwa matapeli waliojaa mjini nakuelewa. Hatuchukui rubuni, na PIN usimpe mtu.",
    ),
    "feel_hurry": (
        "Nitasema kwa ufupi.",
        "Hatua mbili tu umemaliza.",
    ),
    "feel_budget": (
        "Maisha ni magumu najua, nitakachokutajia ndicho kitakachotoka mfukoni.",
        "Nakuhurumia, kwa hivyo nakupa hesabu ya kweli bila kificho.",
    ),
    "feel_unsure": (
        "Fikiria polepole, mimi nipo.",
        "Unaweza kugeuza wakati wowote.",
    ),
    "off_topic": (
        "Hahaha, niulize ya nywele, hapo ndipo ninapojua.",
        "Hiyo inahitaji mtu mwerevu kuliko mimi wa kitabu cha miadi.",
        "Hiyo si idara yangu, mimi hujaza kitabu tu.",
    ),
    "pin_warning": (
        "Lo, ifute hiyo. PIN yako asiijue mtu, hata mimi.",
        "Ilinde PIN yako. Ni ya ule ujumbe wa simu na si kwingine.",
    ),
    "unclear": (
        "Rudia tafadhali, imenipita.",
        "Hapo umeniacha kidogo, sema kwa njia nyingine.",
        "Hiyo sikuinasa.",
    ),
    "all_set": (
        "Hakijabadilika kitu, ni {service}, {day}, {time}.",
        "Bado upo kitabuni: {service}, {day}, {time}.",
    ),
    "ack": ("Nimekupata.", "Barabara.", "Vyema.", "Ndiyo hivyo."),
    "your_phone": ("laini yako",),
    "number_ending": ("laini yako ya mwisho {digits}",),
}
