/** A mail of plain text. */
export interface Message {
  to: string;
  subject: string;
  text: string;
  /** It is not sent any more from then on, because what it says has ended. */
  until?: Date;
}

/** A mail as it is sent. Sent twice, it has the same id. */
export interface SentMessage extends Omit<Message, 'until'> {
  /** A UUID. */
  id: string;
  from: string;
}

export type Send = (message: SentMessage, signal: AbortSignal) => Promise<void>;
