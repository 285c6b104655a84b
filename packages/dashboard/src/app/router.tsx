import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { pageFacts } from '../api/page-facts.ts';
import { FailedPage, NotFoundPage } from './FailedPage.tsx';
import { Frame } from './Frame.tsx';
import { OwnerGate } from './OwnerGate.tsx';
import { PageSkeleton } from './PageSkeleton.tsx';

const root = createRootRoute({ component: Frame, notFoundComponent: () => <NotFoundPage /> });

type Search = Record<string, unknown>;
/** Search parameters that are texts; all others are dropped. */
const texts =
  <const Name extends string>(...names: Name[]) =>
  (search: Search): { [K in Name]?: string } =>
    Object.fromEntries(names.flatMap((name) => (search[name] === undefined ? [] : [[name, String(search[name])]]))) as {
      [K in Name]?: string;
    };

const open = <const Path extends string>(path: Path) => ({ getParentRoute: () => root, path });

const publicRoutes = [
  createRoute({
    ...open('/'),
    component: lazyRouteComponent(() => import('../pages/start/StartPage.tsx'), 'StartPage'),
  }),
  createRoute({
    ...open('/agents'),
    validateSearch: texts(
      'q',
      'category',
      'framework',
      'trustTier',
      'modelTier',
      'availability',
      'maxPrice',
      'modelVerified',
      'sort',
      'compare',
    ),
    component: lazyRouteComponent(() => import('../pages/agents/AgentsPage.tsx'), 'AgentsPage'),
  }),
  createRoute({
    ...open('/agents/compare'),
    validateSearch: texts('ids'),
    component: lazyRouteComponent(() => import('../pages/agents/ComparePage.tsx'), 'ComparePage'),
  }),
  createRoute({
    ...open('/agents/$agentId'),
    component: lazyRouteComponent(() => import('../pages/agents/AgentPage.tsx'), 'AgentPage'),
  }),
  createRoute({
    ...open('/sign-up'),
    component: lazyRouteComponent(() => import('../pages/account/SignUpPage.tsx'), 'SignUpPage'),
  }),
  createRoute({
    ...open('/sign-in'),
    validateSearch: texts('to'),
    component: lazyRouteComponent(() => import('../pages/account/SignInPage.tsx'), 'SignInPage'),
  }),
  createRoute({
    ...open('/forgot-password'),
    component: lazyRouteComponent(() => import('../pages/account/ForgotPasswordPage.tsx'), 'ForgotPasswordPage'),
  }),
  createRoute({
    ...open('/reset-password'),
    component: lazyRouteComponent(() => import('../pages/account/ResetPasswordPage.tsx'), 'ResetPasswordPage'),
  }),
  createRoute({
    ...open('/verify-email'),
    component: lazyRouteComponent(() => import('../pages/account/VerifyEmailPage.tsx'), 'VerifyEmailPage'),
  }),
  createRoute({
    ...open('/design'),
    component: lazyRouteComponent(() => import('../pages/design/DesignPage.tsx'), 'DesignPage'),
  }),
];

const owner = createRoute({ getParentRoute: () => root, id: 'owner', component: OwnerGate });
const own = <const Path extends string>(path: Path) => ({ getParentRoute: () => owner, path });

const ownerRoutes = [
  createRoute({
    ...own('/tasks'),
    validateSearch: texts(
      ...(['q', 'status', 'failure', 'type', 'agentId', 'project', 'tag', 'feedback'] as const),
      ...(['from', 'to', 'min', 'max', 'sort'] as const),
    ),
    component: lazyRouteComponent(() => import('../pages/tasks/TasksPage.tsx'), 'TasksPage'),
  }),
  createRoute({
    ...own('/tasks/new'),
    validateSearch: texts('agentId', 'taskType', 'from', 'template'),
    component: lazyRouteComponent(() => import('../pages/submit/SubmitPage.tsx'), 'SubmitPage'),
  }),
  createRoute({
    ...own('/tasks/$taskId'),
    validateSearch: texts('tab', 'line'),
    component: lazyRouteComponent(() => import('../pages/task/TaskPage.tsx'), 'TaskPage'),
  }),
  createRoute({
    ...own('/inbox'),
    validateSearch: texts('tab'),
    component: lazyRouteComponent(() => import('../pages/inbox/InboxPage.tsx'), 'InboxPage'),
  }),
  createRoute({
    ...own('/schedules'),
    validateSearch: texts('tab'),
    component: lazyRouteComponent(() => import('../pages/schedules/SchedulesPage.tsx'), 'SchedulesPage'),
  }),
  createRoute({
    ...own('/schedules/new'),
    validateSearch: texts('templateId'),
    component: lazyRouteComponent(() => import('../pages/schedules/NewSchedulePage.tsx'), 'NewSchedulePage'),
  }),
  createRoute({
    ...own('/schedules/$scheduleId'),
    component: lazyRouteComponent(() => import('../pages/schedules/SchedulePage.tsx'), 'SchedulePage'),
  }),
  createRoute({
    ...own('/jobs'),
    validateSearch: texts(
      ...(['tab', 'status', 'failure', 'type', 'agentId', 'feedback', 'from', 'to', 'min', 'max', 'sort'] as const),
    ),
    component: lazyRouteComponent(() => import('../pages/jobs/JobsPage.tsx'), 'JobsPage'),
  }),
  createRoute({
    ...own('/jobs/$taskId'),
    component: lazyRouteComponent(() => import('../pages/jobs/JobPage.tsx'), 'JobPage'),
  }),
  createRoute({
    ...own('/my-agents'),
    component: lazyRouteComponent(() => import('../pages/my-agents/MyAgentsPage.tsx'), 'MyAgentsPage'),
  }),
  createRoute({
    ...own('/my-agents/new'),
    component: lazyRouteComponent(() => import('../pages/my-agents/RegisterPage.tsx'), 'RegisterPage'),
  }),
  createRoute({
    ...own('/my-agents/$agentId'),
    validateSearch: texts('tab', 'webhook', 'status'),
    component: lazyRouteComponent(() => import('../pages/my-agents/MyAgentPage.tsx'), 'MyAgentPage'),
  }),
  createRoute({
    ...own('/vault'),
    validateSearch: texts('tab', 'agentId', 'account', 'cause', 'from', 'to', 'paymentMethodId'),
    component: lazyRouteComponent(() => import('../pages/vault/VaultPage.tsx'), 'VaultPage'),
  }),
  createRoute({
    ...own('/courts'),
    validateSearch: texts('tab', 'status', 'taskId'),
    component: lazyRouteComponent(() => import('../pages/courts/CourtsPage.tsx'), 'CourtsPage'),
  }),
  createRoute({
    ...own('/courts/$disputeId'),
    validateSearch: texts('as'),
    component: lazyRouteComponent(() => import('../pages/courts/DisputePage.tsx'), 'DisputePage'),
  }),
  createRoute({
    ...own('/approvals'),
    validateSearch: texts('status'),
    component: lazyRouteComponent(() => import('../pages/approvals/ApprovalsPage.tsx'), 'ApprovalsPage'),
  }),
  createRoute({
    ...own('/approvals/$approvalId'),
    component: lazyRouteComponent(() => import('../pages/approvals/ApprovalPage.tsx'), 'ApprovalPage'),
  }),
  createRoute({
    ...own('/policies'),
    validateSearch: texts('agentId'),
    component: lazyRouteComponent(() => import('../pages/policies/PoliciesPage.tsx'), 'PoliciesPage'),
  }),
  createRoute({
    ...own('/audit'),
    validateSearch: texts('type', 'agentId', 'correlationId', 'from', 'to'),
    component: lazyRouteComponent(() => import('../pages/audit/AuditPage.tsx'), 'AuditPage'),
  }),
  createRoute({
    ...own('/notifications'),
    validateSearch: texts('unread'),
    component: lazyRouteComponent(() => import('../pages/notifications/NotificationsPage.tsx'), 'NotificationsPage'),
  }),
  createRoute({
    ...own('/trust'),
    component: lazyRouteComponent(() => import('../pages/trust/TrustPage.tsx'), 'TrustPage'),
  }),
  createRoute({
    ...own('/developer'),
    validateSearch: texts('tab'),
    component: lazyRouteComponent(() => import('../pages/developer/DeveloperPage.tsx'), 'DeveloperPage'),
  }),
  createRoute({
    ...own('/settings'),
    validateSearch: texts('tab', 'code', 'state', 'error', 'webhook', 'status'),
    component: lazyRouteComponent(() => import('../pages/settings/SettingsPage.tsx'), 'SettingsPage'),
  }),
  createRoute({
    ...own('/operator'),
    validateSearch: texts(
      ...(['tab', 'view', 'task', 'owner', 'agent', 'q', 'status', 'failure', 'type', 'plan'] as const),
      ...(['ownerId', 'agentId', 'from', 'to', 'sort', 'period'] as const),
    ),
    component: lazyRouteComponent(() => import('../pages/operator/OperatorPage.tsx'), 'OperatorPage'),
  }),
];

export const router = createRouter({
  routeTree: root.addChildren([...publicRoutes, owner.addChildren(ownerRoutes)]),
  basepath: pageFacts.base,
  defaultPreload: 'intent',
  defaultPendingComponent: PageSkeleton,
  defaultPendingMs: 200,
  defaultErrorComponent: FailedPage,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
