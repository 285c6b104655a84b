import type { CoreV1Api, V1Pod } from '@kubernetes/client-node';
import { whenNeeded } from '../../platform/index.ts';
import { SandboxError } from '../driver.ts';
import { type PodListener, watchPods } from './pod-watch.ts';

/** The API of the cluster: the few calls that the driver makes, and one watch over all Pods of this server. */

const CALL_MS = 30_000;
const WATCH_AGAIN_MS = 1_000;
/** Nothing is left to be taken out of a Pod that its server deletes. */
const OWN_STOP_SECONDS = 5;

export interface ClusterSettings {
  /** A kubeconfig; where absent, the cluster that this server runs in, or the file that kubectl takes. */
  kubeconfig?: string | undefined;
  /** Where absent, that of the configuration. */
  namespace?: string | undefined;
  /** Until a watch that has ended begins again. */
  watchAgainMs?: number | undefined;
}

export type Cluster = Awaited<ReturnType<typeof connectCluster>>;

export async function connectCluster(settings: ClusterSettings) {
  const library = await import('@kubernetes/client-node');
  const config = new library.KubeConfig();
  try {
    if (settings.kubeconfig) config.loadFromFile(settings.kubeconfig);
    else config.loadFromDefault();
  } catch (error) {
    throw unavailable(`The configuration of Kubernetes cannot be read: ${(error as Error).message}`);
  }
  const place = config.getContextObject(config.getCurrentContext());
  const namespace = settings.namespace ?? place?.namespace ?? 'default';
  const api = config.makeApiClient(library.CoreV1Api);
  const server = config.getCurrentCluster()?.server ?? 'no server';

  /** The library lets a request have a signal only where it authenticates it. */
  const endedBy = (signal: AbortSignal): CallOptions => ({
    authMethods: {
      default: {
        getName: () => 'default',
        async applySecurityAuthentication(request) {
          await config.applySecurityAuthentication(request);
          request.setSignal(signal);
        },
      },
    },
  });

  /** Authentication takes no signal, so its time is limited beside it. */
  async function call<T>(what: (options: CallOptions) => Promise<T>, stopped?: AbortSignal): Promise<T> {
    const timeout = AbortSignal.timeout(CALL_MS);
    const late = new Promise<never>((_resolve, reject) => {
      timeout.addEventListener('abort', () => reject(new Error(`no answer in ${CALL_MS / 1000} s`)));
    });
    try {
      return await Promise.race([what(endedBy(stopped ? AbortSignal.any([timeout, stopped]) : timeout)), late]);
    } catch (error) {
      throw refusalOf(error, server);
    }
  }

  const list = (labelSelector: string, stopped?: AbortSignal) =>
    call((options) => api.listNamespacedPod({ namespace, labelSelector }, options), stopped);

  /** Resolves when the watch has ended. */
  async function watchOnce(query: Record<string, string | undefined>, listener: PodListener, stopped: AbortSignal) {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    stopped.addEventListener('abort', end);
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
    const tell = (phase: string, pod: V1Pod) => (phase === 'ERROR' ? end() : listener(pod, phase === 'DELETED'));
    const opening = new library.Watch(config).watch(path, query, tell, end);
    try {
      await Promise.race([call(() => opening), ended]);
      await ended;
    } finally {
      stopped.removeEventListener('abort', end);
      void opening.then((request) => request.abort()).catch(() => {});
    }
  }

  return {
    namespace,
    createPod: (body: V1Pod) => call((options) => api.createNamespacedPod({ namespace, body }, options)),
    readPod: (name: string) => call((options) => api.readNamespacedPod({ namespace, name }, options)),
    listPods: async (labelSelector: string) => (await list(labelSelector)).items,
    /** Resolves also where it is gone already. */
    deletePod: (name: string, gracePeriodSeconds = OWN_STOP_SECONDS) =>
      call((options) => api.deleteNamespacedPod({ namespace, name, gracePeriodSeconds }, options)).then(
        () => undefined,
        (error) => {
          if (!(error instanceof ClusterRefusal) || error.status !== 404) throw error;
        },
      ),
    /** Until it is stopped. */
    watchPods: (labelSelector: string, listener: PodListener) =>
      watchPods(
        {
          list: (stopped) => list(labelSelector, stopped),
          watch: (resourceVersion, tell, stopped) => watchOnce({ labelSelector, resourceVersion }, tell, stopped),
        },
        settings.watchAgainMs ?? WATCH_AGAIN_MS,
        listener,
      ),
  };
}

type CallOptions = NonNullable<Parameters<CoreV1Api['listNamespacedPod']>[1]>;

/** The API's own refusal of a call. */
class ClusterRefusal extends SandboxError {
  readonly status: number;

  constructor(status: number, message: string) {
    super('SANDBOX_UNAVAILABLE', message);
    this.status = status;
  }
}

const CURES: [RegExp, string][] = [
  [/exceeded quota/, 'The quota of its namespace is used up. Raise it, or set SANDBOX_MAX_LIVE below it.'],
  [/ is forbidden: User /, 'Let its service account create, delete, get, list and watch pods in the namespace.'],
  [/namespaces .* not found/, 'Create the namespace, or name another with SANDBOX_KUBERNETES_NAMESPACE.'],
];

function refusalOf(error: unknown, server: string): SandboxError {
  const { code, body } = error as { code?: unknown; body?: unknown };
  if (typeof code !== 'number') {
    return unavailable(`The Kubernetes API at ${server} does not answer: ${causeOf(error)}`);
  }
  const said = messageIn(body);
  const cure = CURES.find(([pattern]) => pattern.test(said))?.[1];
  return new ClusterRefusal(code, `Kubernetes refused it (${code}): ${said}${cure ? ` ${cure}` : ''}`);
}

function causeOf(error: unknown): string {
  const cause = (error as { cause?: unknown }).cause;
  const { message, code } = (cause ?? error) as NodeJS.ErrnoException;
  return message || code || String(error);
}

function messageIn(body: unknown): string {
  const status = typeof body === 'string' ? parsed(body) : body;
  return String((status as { message?: unknown } | undefined)?.message ?? body).slice(0, 1_000);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text };
  }
}

export const unavailable = (why: string) => new SandboxError('SANDBOX_UNAVAILABLE', why);

/** One connection for all who ask. */
export const clusterOf = (settings: ClusterSettings) => whenNeeded(() => connectCluster(settings));
