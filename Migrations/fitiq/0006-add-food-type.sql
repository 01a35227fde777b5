-- Version 0.0.7. Its other changes are defaults, which are the versions' own and not the tables'.

ALTER TABLE fitiq.sd_meal_log_item
    ADD COLUMN food_type text NOT NULL DEFAULT 'food';
