import { type Route, route } from '../platform/index.ts';
import { downloadArtifact, listTaskArtifacts } from './artifacts/read.ts';
import { createDryRuns } from './assessment/try-checks.ts';
import { getBudget, setBudget } from './budgets/budgets.ts';
import { downloadPatch, listChanges } from './changes/read.ts';
import type { TaskDeps } from './deps.ts';
import { getGroup } from './groups/read.ts';
import { createBundles } from './inputs/bundles.ts';
import { approve, replayApproved, replaySubmitted, submitAsAgent } from './lifecycle/approval.ts';
import { cancelTask } from './lifecycle/cancel.ts';
import { completeTask } from './lifecycle/complete.ts';
import { declinedBefore, declineTask } from './lifecycle/decline.ts';
import { failTask } from './lifecycle/fail.ts';
import { feedbackGiven, giveFeedback } from './lifecycle/feedback.ts';
import { assignedTasks, getTask, listEvents } from './lifecycle/read.ts';
import { replayReply } from './lifecycle/replay-reply.ts';
import { startTask } from './lifecycle/start.ts';
import { submitTask, submitted } from './lifecycle/submit.ts';
import { listEverybodys } from './list/everybody.ts';
import { assignedFigures } from './list/figures.ts';
import { exportTasks, listOwnTasks } from './list/list.ts';
import { totalTasks } from './list/totals.ts';
import { deleteView, listViews, saveView } from './list/views.ts';
import { acceptChange, declineChange } from './messages/change.ts';
import { readInbox } from './messages/inbox.ts';
import { postMessage } from './messages/post.ts';
import { downloadAttachment, listMessages } from './messages/read.ts';
import { readRouting } from './routing/decision.ts';
import { quoteTask } from './routing/quote.ts';
import { followTasks } from './timeline/follow.ts';
import { OwnersNews } from './timeline/news.ts';
import { postProgress } from './timeline/progress.ts';
import { receiptKey, taskReceipt } from './timeline/receipt.ts';
import { streamTask } from './timeline/stream.ts';
import { taskView } from './view.ts';
import { listCommands } from './workspace/commands.ts';
import { workspaceDiff } from './workspace/diff.ts';
import { downloadWorkspace } from './workspace/download.ts';
import {
  destroySandbox,
  execCommand,
  getSandbox,
  listFiles,
  provisionSandbox,
  readFile,
  writeFile,
} from './workspace/handlers.ts';
import { heldRoute } from './workspace/holder.ts';
import { JoinedCommands } from './workspace/joined-commands.ts';
import { killProcess, listProcesses, processOutput, resumeSandbox, startProcess } from './workspace/processes.ts';

/** Binds the operations on tasks, their sandboxes, artifacts and budgets to their rules. */
export function taskRoutes(deps: TaskDeps): Route[] {
  const after = replayReply(deps);
  const submitter = after((task) => submitted(deps, task));
  const buyer = after((task) => taskView(task, 'submitter'));
  const assignee = after((task) => taskView(task, 'assignee'));
  const commands = new JoinedCommands(deps.clock);
  const news = new OwnersNews(deps);
  return [
    route('tasks.submit', (call) => submitTask(deps, call), submitter),
    route(
      'tasks.submitAsAgent',
      (call) => submitAsAgent(deps, call),
      (_, subject) => replaySubmitted(deps, subject),
    ),
    route(
      'embassy.approve',
      (call) => approve(deps, call),
      (call, taskId) => replayApproved(deps, call, taskId),
    ),
    route('operator.tasks', (call) => listEverybodys(deps.pool, call)),
    route('tasks.list', (call) => listOwnTasks(deps, call)),
    route('tasks.export', (call) => exportTasks(deps, call)),
    route('tasks.totals', (call) => totalTasks(deps, call)),
    route('tasks.assignedFigures', (call) => assignedFigures(deps.pool, call)),
    route('tasks.listViews', (call) => listViews(deps.pool, call)),
    route('tasks.saveView', saveView),
    route('tasks.deleteView', deleteView),
    route('tasks.assigned', (call) => assignedTasks(deps, call)),
    route('tasks.get', (call) => getTask(deps, call)),
    route('tasks.start', (call) => startTask(deps, call), assignee),
    heldRoute(deps, 'tasks.complete', (call) => completeTask(deps, call), { lazily: true, recover: assignee }),
    route('tasks.fail', (call) => failTask(deps, call), assignee),
    route('tasks.feedback', (call) => giveFeedback(deps, call), after(feedbackGiven)),
    route('tasks.decline', (call) => declineTask(deps, call), after(declinedBefore)),
    route('tasks.cancel', (call) => cancelTask(deps, call), buyer),
    route('tasks.quote', (call) => quoteTask(deps, call)),
    route('tasks.tryChecks', createDryRuns(deps)),
    route('tasks.sendBundle', createBundles(deps)),
    route('tasks.getGroup', (call) => getGroup(deps, call)),
    route('tasks.routing', (call) => readRouting(deps, call)),
    route('tasks.stream', (call) => streamTask(deps, call)),
    route('tasks.follow', (call) => followTasks(deps, news, call)),
    route('tasks.commands', (call) => listCommands(deps, call)),
    route('tasks.events', (call) => listEvents(deps, call)),
    route('tasks.progress', (call) => postProgress(deps, call)),
    route('tasks.postMessage', (call) => postMessage(deps, call)),
    route('tasks.inbox', (call) => readInbox(deps, call)),
    route('tasks.listMessages', (call) => listMessages(deps, call)),
    route('tasks.acceptChange', (call) => acceptChange(deps, call)),
    route('tasks.declineChange', declineChange),
    route('tasks.getMessageAttachment', (call) => downloadAttachment(deps, call)),
    route('tasks.receipt', (call) => taskReceipt(deps, call)),
    route('tasks.receiptKey', () => receiptKey(deps)),
    heldRoute(deps, 'sandbox.provision', (call) => provisionSandbox(deps, call)),
    heldRoute(deps, 'sandbox.get', (call) => getSandbox(deps, call)),
    heldRoute(deps, 'sandbox.destroy', (call) => destroySandbox(deps, call)),
    heldRoute(deps, 'sandbox.list', (call) => listFiles(deps, call)),
    heldRoute(deps, 'sandbox.read', (call) => readFile(deps, call)),
    heldRoute(deps, 'sandbox.write', (call) => writeFile(deps, call)),
    heldRoute(deps, 'sandbox.exec', (call) => execCommand(deps, commands, call)),
    heldRoute(deps, 'sandbox.resume', (call) => resumeSandbox(deps, call)),
    heldRoute(deps, 'sandbox.startProcess', (call) => startProcess(deps, call)),
    heldRoute(deps, 'sandbox.listProcesses', (call) => listProcesses(deps, call)),
    heldRoute(deps, 'sandbox.processOutput', (call) => processOutput(deps, call)),
    heldRoute(deps, 'sandbox.killProcess', (call) => killProcess(deps, call)),
    heldRoute(deps, 'sandbox.diff', (call) => workspaceDiff(deps, call)),
    route('vault.getBudget', (call) => getBudget(deps.pool, call)),
    route('vault.setBudget', setBudget),
    route('tasks.changes', (call) => listChanges(deps, call)),
    route('tasks.patch', (call) => downloadPatch(deps, call)),
    route('tasks.workspace', (call) => downloadWorkspace(deps, call)),
    route('artifacts.list', (call) => listTaskArtifacts(deps, call)),
    route('artifacts.download', (call) => downloadArtifact(deps, call)),
  ];
}
