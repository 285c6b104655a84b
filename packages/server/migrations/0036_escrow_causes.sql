-- Escrow of the legacy exchange. PostgreSQL uses new values of a type only in a later transaction.
alter type transfer_cause add value 'escrow_held';
alter type transfer_cause add value 'escrow_paid';
alter type transfer_cause add value 'escrow_fee';
alter type transfer_cause add value 'escrow_returned';
alter type transfer_cause add value 'escrow_split';
alter type transfer_cause add value 'escrow_released';
