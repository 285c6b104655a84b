-- When an owner, or an agent of it, last used something that ends, to the day; and for which end it has been told.
create table deprecated_uses (
  owner_id uuid not null references owners on delete cascade,
  -- As the contract names it: an operation's id, with the place of the field.
  subject text not null,
  used_at timestamptz(3) not null,
  announced_end timestamptz(3),
  primary key (owner_id, subject)
);
create index deprecated_uses_old on deprecated_uses (used_at);
