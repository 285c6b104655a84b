import { signOut } from '../api/sign-in-out.ts';
import { errorText } from '../ui/States.tsx';
import { say } from '../ui/toast.tsx';

/** Signs out, or says why that failed: whoever leaves a shared machine must know. */
export const tryToSignOut = (): Promise<void> => signOut().catch((error: unknown) => say(errorText(error)));
