import { isIP } from 'node:net';
import { z } from 'zod';

/** Whose X-Forwarded-For counts: nobody's, that of so many proxies in a row, or of these addresses. */
export const proxies = z
  .string()
  .default('false')
  .transform((text, issues): false | number | string[] => {
    if (text === 'false' || text === '0') return false;
    if (text === 'true') return 1;
    if (/^[1-9]\d?$/.test(text)) return Number(text);
    const addresses = text.split(',').map((part) => part.trim());
    if (addresses.every(isNetwork)) return addresses;
    issues.addIssue('takes false, true (one proxy), a number of proxies, or addresses and CIDRs with commas between');
    return z.NEVER;
  });

/** Whether the text is an address or a CIDR; one of all addresses would trust every client's own word. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}
