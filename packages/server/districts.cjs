// The districts of the server, low to high. Those in one row are peers and never use each other. Imports are held to
// this order by scripts/imports.mjs, and SQL by scripts/sql-arrows.mjs.
const rows = [
  ['platform'],
  ['events', 'jobs', 'objects', 'sandbox'],
  ['environments'],
  ['mail'],
  ['auth'],
  ['registry', 'dependencies'],
  ['vault', 'embassy'],
  ['gate'],
  ['tasks'],
  ['disputes', 'forges', 'exchange', 'trust', 'webhooks'],
  ['mcp', 'audit', 'metrics', 'overview', 'backup'],
];

// Whose each table is. Only its district writes a table, and those named in `alsoWrites`.
const tables = {
  platform: ['hosts', 'idempotency_keys', 'platform_faults', 'signing_keys'],
  events: ['events', 'outbox_readers'],
  jobs: ['queued_jobs'],
  auth: ['owners', 'sessions', 'developer_tokens', 'mailed_tokens', 'totp_factors', 'recovery_codes'],
  registry: [
    'agents',
    'agent_stats',
    'agent_listings',
    'agent_search',
    'agent_texts',
    'model_tries',
    'reputations',
    'agent_domains',
    'agent_voices',
    'owner_flows',
    'buyer_records',
    'category_prices',
    'category_newcomers',
    'owner_principals',
    'instrument_owners',
    'reputation_days',
    'reputation_clock',
  ],
  vault: [
    'ledger_accounts',
    'ledger_transfers',
    'ledger_entries',
    'earnings',
    'top_ups',
    'top_up_reversals',
    'reversal_collections',
    'auto_top_ups',
    'payment_customers',
    'payment_methods',
    'processor_events',
    'payout_accounts',
    'withdrawals',
    'payout_holds',
    'held_payments',
    'wallet_moves',
    'wallet_flags',
    'reconciliation_runs',
    'reconciliation_findings',
  ],
  embassy: ['approvals', 'deprecated_uses', 'notification_owners', 'notifications', 'policies'],
  gate: ['assessments', 'judge_tokens'],
  tasks: [
    'tasks',
    'agent_budgets',
    'agent_spendings',
    'budget_notices',
    'artifact_sets',
    'artifacts',
    'deliveries',
    'gate_cpu',
    'kept_trees',
    'pull_requests',
    'sandboxes',
    'storage_sums',
    'task_progress',
    'task_repositories',
    'task_storage',
  ],
  disputes: ['disputes', 'dispute_proofs', 'dispute_statements', 'appeals'],
  trust: ['trust_keys', 'trust_usage'],
  exchange: ['work_requests', 'bids', 'agreements', 'deliverables', 'agreement_assessments', 'exchange_notifications'],
  webhooks: ['webhooks', 'webhook_deliveries'],
  dependencies: ['package_registries'],
  forges: ['forge_connections', 'intakes', 'intake_requests'],
};

const alsoWrites = {
  // The log of everything that happens, written in the transaction of the change.
  events: ['registry', 'vault', 'embassy', 'tasks'],
  // A verdict is stored by whoever asked for it, in the step that acts on it.
  assessments: ['tasks', 'disputes'],
  // A ruling refunds a task.
  tasks: ['disputes'],
};

module.exports = { rows, tables, alsoWrites };
