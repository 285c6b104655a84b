import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import { router } from './app/router.tsx';
import { showTheme } from './app/theme.ts';
import './theme.css';

showTheme();

const root = createRoot(document.getElementById('root')!);
startTransition(() =>
  root.render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  ),
);

// The first page does not need it. Without it, as where it cannot be had, the focus stays with the browser.
import('./app/focus-heading.ts').then(
  ({ focusHeadings }) => focusHeadings(router),
  () => {},
);
