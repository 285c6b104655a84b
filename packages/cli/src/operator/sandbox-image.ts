import { doorImage } from '@agora-market/server/sandbox';

/** What `docker build -` takes: the image with the sandbox agent, for sandboxes in Kubernetes. */
export function sandboxImageCommand(base: string): void {
  process.stdout.write(doorImage(base));
}
