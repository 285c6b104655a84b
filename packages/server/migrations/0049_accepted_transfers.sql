create or replace function task_of(p_subject uuid, p_cause transfer_cause) returns uuid language sql immutable as $$
  select case when p_cause in ('hold', 'hold_released', 'hold_returned', 'payout', 'fee', 'payout_refunded',
    'fee_refunded', 'earnings_released', 'dispute_payout_refunded', 'dispute_fee_refunded', 'dispute_debited',
    'dispute_covered', 'accepted_payout', 'accepted_fee') then p_subject end
$$;
