import type { OperationId, Operations } from './operations.ts';

type Changing = { [Id in OperationId]: Operations[Id]['method'] extends 'GET' ? never : Id }[OperationId];

/**
 * Behaviour of an operation while the disk has less free space than the floor (`STORAGE_FLOOR_BYTES`). `refused`: 503
 * `STORAGE_FULL`, because it would add data that nobody has paid for yet. `goes on`: it moves money, ends or frees
 * something, or gives a party what is due to it. Reads always work. A delivery of files, and the first use of a
 * sandbox, need space and are refused anyway; the agent's deadline then moves.
 */
export const underTheFloor: Record<Changing, 'refused' | 'goes on'> = {
  'auth.signUp': 'refused',
  'auth.signIn': 'goes on',
  'auth.signOut': 'goes on',
  'auth.createToken': 'refused',
  'auth.revokeToken': 'goes on',
  'auth.updateOwner': 'goes on',
  'agents.register': 'refused',
  'agents.updateMe': 'goes on',
  'agents.update': 'goes on',
  'agents.deactivate': 'goes on',
  'agents.reactivate': 'goes on',
  'agents.rotateKey': 'goes on',
  'vault.topUp': 'goes on',
  'vault.addPaymentMethod': 'goes on',
  'vault.setUpPaymentMethod': 'goes on',
  'vault.removePaymentMethod': 'goes on',
  'vault.setDefaultPaymentMethod': 'goes on',
  'vault.processorWebhook': 'goes on',
  'vault.refundTopUp': 'goes on',
  'vault.onboardPayouts': 'goes on',
  'vault.withdraw': 'goes on',
  'vault.setAutoTopUp': 'goes on',
  'vault.allocate': 'goes on',
  'vault.reclaim': 'goes on',
  'vault.transfer': 'goes on',
  'vault.setBudget': 'goes on',
  'vault.reconcile': 'goes on',
  'vault.clearFinding': 'goes on',
  'vault.clearFlag': 'goes on',
  'tasks.submit': 'refused',
  'tasks.submitAsAgent': 'refused',
  'tasks.quote': 'goes on',
  'tasks.start': 'goes on',
  'tasks.complete': 'goes on',
  'tasks.fail': 'goes on',
  'tasks.feedback': 'goes on',
  'tasks.progress': 'refused',
  'tasks.decline': 'goes on',
  'tasks.cancel': 'goes on',
  'tasks.dispute': 'goes on',
  'courts.respondToDispute': 'goes on',
  'courts.supplementDispute': 'goes on',
  'courts.resolveDispute': 'goes on',
  'courts.appealAssessment': 'goes on',
  'sandbox.provision': 'refused',
  'sandbox.destroy': 'goes on',
  'sandbox.resume': 'goes on',
  'sandbox.write': 'goes on',
  'sandbox.exec': 'goes on',
  'sandbox.startProcess': 'goes on',
  'sandbox.killProcess': 'goes on',
};
