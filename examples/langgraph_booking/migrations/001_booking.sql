-- One tenant's tables; search_path says whose. LangGraph's checkpoint tables are made beside them.
CREATE TABLE slots (
    day text NOT NULL, time text NOT NULL, taken boolean NOT NULL DEFAULT false, PRIMARY KEY (day, time)
);
CREATE TABLE bookings (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    thread_id text NOT NULL, day text NOT NULL, time text NOT NULL,
    status text NOT NULL DEFAULT 'held' CHECK (status IN ('held', 'confirmed', 'released')),
    FOREIGN KEY (day, time) REFERENCES slots (day, time)
);
CREATE TABLE payments (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    booking_id bigint NOT NULL REFERENCES bookings (id),
    rail text NOT NULL CHECK (rail IN ('mpesa', 'pesapal')),
    reference text NOT NULL, phone text NOT NULL, amount_kes integer NOT NULL CHECK (amount_kes > 0),
    receipt text,
    status text NOT NULL DEFAULT 'PAYMENT_PENDING' CHECK (status IN
        ('PAYMENT_PENDING', 'PAYMENT_CONFIRMED', 'PAYMENT_FAILED', 'PAYMENT_CANCELLED_BY_CUSTOMER', 'PAYMENT_REVERSED'))
);
CREATE INDEX payments_reference ON payments (reference);
CREATE TABLE handoff_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    thread_id text NOT NULL, reason text NOT NULL, briefing_card jsonb NOT NULL
);
INSERT INTO slots (day, time) VALUES
    ('friday', '10:00'), ('friday', '14:30'), ('saturday', '09:00'), ('saturday', '11:00');
