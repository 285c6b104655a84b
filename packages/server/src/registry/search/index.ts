import './rows.ts';

export { searchFacets } from './facets.ts';
export { orderJob } from './order-job.ts';
export { searchAgents } from './search.ts';
