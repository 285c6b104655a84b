import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/**
 * The token of a mailed link. It stands behind the `#`, so that no server sees it, and leaves the address bar at once,
 * so that neither history nor a shared screen keeps it. Undefined if the page was opened without one.
 */
export function useMailedToken(): string | undefined {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const [token, setToken] = useState(hash || undefined);
  useEffect(() => {
    if (hash === '') return;
    setToken(hash);
    void navigate({ to: '.', hash: '', replace: true });
  }, [hash, navigate]);
  return token;
}
