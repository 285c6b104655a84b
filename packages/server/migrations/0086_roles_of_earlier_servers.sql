-- A server of a release before roles names none when it enters, and does everything.
alter table hosts alter column roles set default '{api,sandboxes,gate,webhooks,jobs}';
update hosts set roles = default where roles = '{}';
