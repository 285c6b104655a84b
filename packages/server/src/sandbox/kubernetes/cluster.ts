import { setTimeout as sleep } from 'node:timers/promises';
import type { CoreV1Api, Informer, KubeConfig, V1Pod } from '@kubernetes/client-node';
import { whenNeeded } from '../../platform/index.ts';
import { SandboxError } from '../driver.ts';

/** The API of the cluster: the few calls that the driver makes, and one watch over all Pods of this server. */

const CALL_MS = 30_000;
const WATCH_AGAIN_MS = 1_000;

export type PodListener = (pod: V1Pod, isGone: boolean) => void;

export interface ClusterSettings {
  /** A kubeconfig; where absent, the cluster that this server runs in, or the file that kubectl takes. */
  kubeconfig?: string | undefined;
  /** Where absent, that of the configuration. */
  namespace?: string | undefined;
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

  async function call<T>(what: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(CALL_MS);
    const late = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error(`no answer in ${CALL_MS / 1000} s`)));
    });
    try {
      return await Promise.race([what(signal), late]);
    } catch (error) {
      throw refusalOf(error, server);
    }
  }

  return {
    namespace,
    createPod: (body: V1Pod) => call(() => api.createNamespacedPod({ namespace, body })),
    readPod: (name: string) => call(() => api.readNamespacedPod({ namespace, name })),
    listPods: async (labelSelector: string) =>
      (await call(() => api.listNamespacedPod({ namespace, labelSelector }))).items,
    /** Resolves also where it is gone already. */
    deletePod: (name: string, gracePeriodSeconds?: number) =>
      call(() =>
        api.deleteNamespacedPod({ namespace, name, ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }) }),
      ).then(
        () => undefined,
        (error) => {
          if (!(error instanceof ClusterRefusal) || error.status !== 404) throw error;
        },
      ),
    watchPods: (labelSelector: string, listener: PodListener) =>
      watchPods({ library, config, api, namespace, labelSelector }, listener),
  };
}

type Library = typeof import('@kubernetes/client-node');

/** Begins again whenever it ends, until it is stopped. */
function watchPods(
  from: { library: Library; config: KubeConfig; api: CoreV1Api; namespace: string; labelSelector: string },
  listener: PodListener,
): () => void {
  const { library, config, api, namespace, labelSelector } = from;
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  const list = () => api.listNamespacedPod({ namespace, labelSelector });
  const informer: Informer<V1Pod> = library.makeInformer(config, path, list, labelSelector);
  let isStopped = false;
  const stopping = new AbortController();
  informer.on('add', (pod) => listener(pod, false));
  informer.on('update', (pod) => listener(pod, false));
  informer.on('delete', (pod) => listener(pod, true));
  informer.on('error', () => {
    if (isStopped) return;
    sleep(WATCH_AGAIN_MS, undefined, { signal: stopping.signal })
      .then(() => (isStopped ? undefined : informer.start()))
      .catch(() => {});
  });
  informer.start().catch(() => {});
  return () => {
    isStopped = true;
    stopping.abort();
    void informer.stop();
  };
}

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
