-- What an owner was told of its agents in a day, by kind and agent: one notification counts it.
alter table notification_owners add column daily json not null default '{}';
