import { useDeferredValue } from 'react';

/**
 * Whether to draw what is ready. True a moment later than `isReady`, at a priority at which React draws in slices: a
 * reply of the server would have it draw a whole page at once, and a slow phone hears nobody meanwhile.
 */
export const useCalmly = (isReady: boolean): boolean => useDeferredValue(isReady, false) && isReady;
