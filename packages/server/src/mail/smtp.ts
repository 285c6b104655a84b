import type { Transporter } from 'nodemailer';
import type { Send } from './message.ts';

/** Sends by the operator's mail server. Each mail has a connection of its own, so that none waits for another. */
export function smtpSender(url: string): Send {
  let transport: Transporter | undefined;
  return async ({ id, from, to, subject, text }, signal) => {
    // Loaded with the first mail.
    transport ??= await transportOf(url);
    await transport.sendMail({
      from,
      // An object is never read as a list of addresses.
      to: { name: '', address: to },
      subject,
      text,
      messageId: `<${id}@agora>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal,
    });
  };
}

/** Connects and signs in, and sends nothing. Rejects with what the mail server said. */
export async function trySmtp(url: string): Promise<void> {
  await (await transportOf(url)).verify();
}

async function transportOf(url: string): Promise<Transporter> {
  const options = {
    url,
    dnsTimeout: 10_000,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  return (await import('nodemailer')).createTransport(options);
}

/** The server will not take mail for this recipient (RFC 5321, 4.2.1: 5yz to RCPT TO). Another try changes nothing. */
export function isRefusedForGood(error: unknown): boolean {
  const { code, responseCode = 0, command } = error as { code?: string; responseCode?: number; command?: string };
  return code === 'EENVELOPE' && command === 'RCPT TO' && responseCode >= 550 && responseCode < 560;
}
