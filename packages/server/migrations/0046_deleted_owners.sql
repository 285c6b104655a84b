-- An owner that has deleted its account keeps its row, without a name, for the ledger and the tasks of others.
alter table owners drop constraint owners_status_check,
  add constraint owners_status_check check (status in ('active', 'suspended', 'deleted'));
