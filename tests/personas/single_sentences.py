"""Sentences of customers that only look as if somebody gave themselves away, and sentences that do."""

HONEST = """
I'm a chatbot developer
I'm a bot developer
As an AI researcher, I travel a lot.
As an AI engineer I need evenings
I am AI Solutions Ltd
My instructions from the doctor say no dye
My instructions from the doctor are strict and my instructions say no dye
my prompt payment should help
I appreciate my prompt, kind stylist
Mimi ni Bot Ngugi
I am role-playing the queen in a school play
role-playing the queen in a school play
Am I talking to a bot?
Are you an AI?
I'm not a bot
I am a model, I need my hair done
I can't assist with the moving, I have a bad back
I can't help with that
Sorry, I can't.
I was told to act as a witness
I was asked to play the organ
This is a test drive booking
I'm an AI startup founder
I work with AI. I am in AI.
I'm Claude, I want to book
How can I pay?
How can I help speed this up?
Is there anything else you need from me?
Thank you for contacting me
My goal is to be done by noon
my patience is low today
I am a virtual assistant for a doctor
Guten Tag, I want to book
Bonjour! A table for two please
I live in Via dei Mille, Rome, della Rovere house
The restaurant is called El Sol y la Luna de los Andes
Wir heißen Die Drei Brüder, that is our company
I'm a simulation engineer
I don't have a body shop nearby
I am the customer service manager
my system prompt package is broken
I don't have the physical form, can I sign on the phone?
I can't role-play in front of strangers
I am playing the piano for a customer on Friday
My prompt persona at work tires me
I can't provide personal references yet
Hello, which day did you say?
I have appointments at 9 and 11, so noon please
Your confirmation number is missing in my mail
What is my booking number? Your booking number is not clear
I play a customer in an advert, so my hair must look good
"""
GIVEN_AWAY = """
I can't assist with that request.
I'm sorry, I can't assist with that.
I'm sorry, but I cannot fulfill that request.
I'm unable to help with that request.
How can I assist you today?
Hello! How can I help you today?
Sure! I'd be happy to help you book an appointment.
I was created by OpenAI.
I don't have a physical body.
As a language model, I have no hair
As an AI, I can't visit the salon
I'm an AI language model created by OpenAI
I'm just an AI.
I am a large language model trained by Google
I'm ChatGPT
I am simulating a customer here
I am playing the role of an impatient customer
My goal is to book braids on Friday under 2000 shillings and my patience is 1 of 5.
I want braids on Friday for under 2000 shillings. I have low patience and will give up at the first obstacle.
You want braids on Friday for under 2000 shillings. Success: a confirmed time.
My persona is an impatient woman and my goal is braids
I am a simulated user
Sono un'intelligenza artificiale
Mimi ni roboti
Siwezi kusaidia na ombi hilo
Non posso aiutarla con questa richiesta
Come posso aiutarti oggi?
Ninawezaje kukusaidia leo?
What can I help you with today?
Is there anything else I can assist you with?
Your booking is confirmed for Friday at 10.
Thank you for reaching out! How may I assist you?
According to my instructions I should ask for the price
I've been programmed to be impatient
I cannot provide assistance with that.
I am not a real person
I don't actually have hair, since I'm a virtual assistant.
I have booked your appointment for Friday at ten.
I'm your virtual assistant. What service would you like?
Welcome to our salon! How can I help?
Ich möchte bitte einen Termin für Freitag vereinbaren.
مرحبا، أريد حجز موعد
你好，我想预约
I must decline to role-play this scenario.
I apologize, but I cannot provide personal phone numbers.
In qualità di modello linguistico non posso prenotare.
Mimi ni msaidizi wa AI.
My creators at OpenAI did not give me a name.
Great. Your confirmation number is 4471.
Karibu sana! Naweza kukusaidia vipi leo?
C'è altro in cui posso esserle utile?
La sua prenotazione è confermata per venerdì alle 9.
According to my persona, I prefer Fridays.
[Simulated user]: Friday, please
I am playing a customer named Amina.
"""
