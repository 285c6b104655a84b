import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { agora } from '../../api/client.ts';
import { pageFacts } from '../../api/page-facts.ts';
import { Note } from '../../ui/States.tsx';

interface Turnstile {
  render(place: HTMLElement, options: Record<string, unknown>): string;
  reset(widget: string): void;
  remove(widget: string): void;
}

declare global {
  interface Window {
    turnstile?: Turnstile;
  }
}

type Action = 'sign_up' | 'sign_in' | 'forgot_password';

const script = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit';
let loading: Promise<void> | undefined;

/** Fetched from outside only where the operator has set it up; the page's policy allows it only there. */
function load(): Promise<void> {
  loading ??= new Promise<void>((resolve, reject) => {
    const element = document.createElement('script');
    element.src = script;
    element.onload = () => resolve();
    element.onerror = () => {
      loading = undefined;
      element.remove();
      reject(new Error('The challenge could not be loaded.'));
    };
    document.head.append(element);
  });
  return loading;
}

interface Captcha {
  /** Goes into the body of the request; empty where nobody is challenged. */
  token: { captchaToken?: string };
  /** Why the form cannot be sent yet. */
  why: string | null;
  /** A token counts once: call it after each try. */
  again: () => void;
  widget: ReactNode;
}

/** The challenge of a form for visitors, where there is one. */
export function useCaptcha(action: Action): Captcha {
  const { data: siteKey, error } = useQuery({
    queryKey: ['account', 'captcha'],
    queryFn: async () => (await agora.auth.captcha()).siteKey,
    enabled: pageFacts.hasCaptcha,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const place = useRef<HTMLDivElement>(null);
  const widget = useRef<string>(undefined);
  const [token, setToken] = useState<string>();
  const [isBroken, setIsBroken] = useState(false);
  const hasFailed = isBroken || error !== null;
  useEffect(() => {
    if (!siteKey) return;
    let isGone = false;
    load().then(
      () => {
        if (isGone || !place.current) return;
        widget.current = window.turnstile?.render(place.current, {
          sitekey: siteKey,
          action,
          callback: setToken,
          'expired-callback': () => setToken(undefined),
          'error-callback': () => setIsBroken(true),
        });
      },
      () => setIsBroken(true),
    );
    return () => {
      isGone = true;
      if (widget.current) window.turnstile?.remove(widget.current);
    };
  }, [siteKey, action]);
  const again = useCallback(() => {
    setToken(undefined);
    if (widget.current) window.turnstile?.reset(widget.current);
  }, []);
  if (!pageFacts.hasCaptcha) return { token: {}, why: null, again, widget: null };
  return {
    token: token ? { captchaToken: token } : {},
    why: token ? null : 'The check that you are a person has not ended yet.',
    again,
    widget: (
      <div className="min-h-17">
        <div ref={place} />
        {hasFailed && <Note kind="warn">The check that you are a person could not be loaded. Reload the page.</Note>}
      </div>
    ),
  };
}
