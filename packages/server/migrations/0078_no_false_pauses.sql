-- Until now an outage set times that were not set: a pause that had not begun, and a deadline before the start.
update tasks set waiting_since = null, waiting_until = null where waiting_since = waiting_until or pauses = 0 and waiting_until is not null;
update tasks set unanswered_at = null where pauses = 0 and unanswered_at is not null;
update tasks set deadline = null where started_at is null and deadline is not null;
