import { hasCome, type Job, type Route, route } from '../platform/index.ts';
import { acceptOffer, selectBid } from './agree.ts';
import { assessDelivered } from './assess.ts';
import { getBids, placeBid, withdrawBid } from './bids.ts';
import { accept, deliver, getAgreement, openDispute, resolve, startWork, withdraw } from './changes.ts';
import type { ExchangeDeps } from './deps.ts';
import { listNotifications } from './notifications.ts';
import { cancelRequest, createRequest, declineOffer } from './requests.ts';
import { getRequest, searchRequests } from './search.ts';
import { purgeExchange, sweepExchange } from './sweep.ts';

export { postponeAgreements } from './agreement-sql.ts';
export { agreementAssessment } from './assess.ts';
export { eraseBids } from './erase.ts';

export const exchangeRoutes = ({ pool, clock, config }: Pick<ExchangeDeps, 'pool' | 'clock' | 'config'>): Route[] => [
  route('exchange.createRequest', (call) => createRequest(clock, call)),
  route('exchange.searchRequests', (call) => searchRequests(pool, call)),
  route('exchange.getRequest', (call) => getRequest(pool, call)),
  route('exchange.cancelRequest', cancelRequest),
  route('exchange.acceptOffer', (call) => acceptOffer(clock, call)),
  route('exchange.declineOffer', declineOffer),
  route('exchange.placeBid', (call) => placeBid(clock, call)),
  route('exchange.listBids', (call) => getBids(pool, call)),
  route('exchange.withdrawBid', withdrawBid),
  route('exchange.selectBid', (call) => selectBid(clock, call)),
  route('exchange.getAgreement', (call) => getAgreement(pool, call)),
  route('exchange.start', startWork),
  route('exchange.deliver', deliver),
  route('exchange.accept', (call) => accept(config, call)),
  route('exchange.withdraw', (call) => withdraw(config, call)),
  route('exchange.dispute', openDispute),
  route('exchange.resolve', (call) => resolve(config, call)),
  route('exchange.listNotifications', (call) => listNotifications(pool, call)),
];

/** Jobs go on after the sunset, until nothing is open any more. */
export const exchangeJobs = (deps: ExchangeDeps): Job[] => [
  {
    name: 'exchange.sweep',
    due: `${hasCome('due_at', 'work_requests')} or ${hasCome('due_at', 'agreements')}`,
    run: () => sweepExchange(deps),
  },
  { name: 'exchange.assess', role: 'gate', due: hasCome('due_at', 'agreements'), run: () => assessDelivered(deps) },
  { name: 'exchange.purge', everyMs: 60_000, run: () => purgeExchange(deps) },
];
