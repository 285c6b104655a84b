/** The accessible name of the bell. It cuts the number in words where the bell cuts it in figures. */
export const bellLabel = (unread: number | undefined): string =>
  !unread
    ? 'Notifications'
    : unread > 99
      ? 'More than 99 unread notifications'
      : `${unread} unread ${unread === 1 ? 'notification' : 'notifications'}`;
