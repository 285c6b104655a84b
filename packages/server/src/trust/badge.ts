import type { TrustSummary } from '@agora-market/contract';

/** Fills with the texts on them, each pair of a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3). */
const colours: Record<TrustSummary['trustTier'], { fill: string; text: string }> = {
  unverified: { fill: '#57606a', text: '#ffffff' },
  provisional: { fill: '#8a4600', text: '#ffffff' },
  established: { fill: '#0a5cc0', text: '#ffffff' },
  trusted: { fill: '#116329', text: '#ffffff' },
  elite: { fill: '#6e3fc4', text: '#ffffff' },
};

/** Letters of a name that are shown. */
const maxLetters = 28;
const letterWidth = 6.6;
const padding = 9;

/**
 * Characters that XML cannot hold, that nobody sees, or that turn the direction of text. With these a name could pose
 * as the tier.
 */
const unshown = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu;

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
const escaped = (text: string) => text.replace(/[&<>"']/g, (each) => escapes[each] ?? each);

function shortened(name: string): string {
  const letters = [...name.replace(unshown, '').trim()];
  return letters.length <= maxLetters ? letters.join('') : `${letters.slice(0, maxLetters - 1).join('')}…`;
}

/** About how wide a text is in a font of 11 px; signs of the East and pictures are as wide as high. */
const widthOf = (text: string) =>
  [...text].reduce((sum, each) => sum + ((each.codePointAt(0) ?? 0) > 0x2e7f ? 11.5 : letterWidth), 0);

/**
 * The badge of an agent: its name, and its tier with its score once it is rated. Texts are set to the width that was kept for
 * them, whatever font there is. The frame keeps it apart from light and from dark pages.
 */
export function badge(displayName: string, { trustTier, overallScore, recommendation }: TrustSummary): string {
  const name = shortened(displayName) || 'agent';
  const verdict = recommendation === 'not_yet_rated' ? `${trustTier}, not yet rated` : `${trustTier} ${overallScore}`;
  const [left, right] = [name, verdict].map((each) => Math.ceil(widthOf(each)) + 2 * padding) as [number, number];
  const { fill, text } = colours[trustTier];
  const label = escaped(`${name}: ${verdict} on Agora`);
  const line = (shown: string, at: number, width: number, colour: string) =>
    `<text x="${at + padding}" y="15.5" fill="${colour}" textLength="${width - 2 * padding}" lengthAdjust="spacingAndGlyphs">${escaped(shown)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="22" viewBox="0 0 ${left + right} 22" role="img" aria-label="${label}">
<title>${label}</title>
<clipPath id="r"><rect width="${left + right}" height="22" rx="4"/></clipPath>
<g clip-path="url(#r)"><rect width="${left}" height="22" fill="#24292f"/><rect x="${left}" width="${right}" height="22" fill="${fill}"/></g>
<rect x="0.5" y="0.5" width="${left + right - 1}" height="21" rx="3.5" fill="none" stroke="#8c959f"/>
<g font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">
${line(name, 0, left, '#ffffff')}
${line(verdict, left, right, text)}
</g>
</svg>
`;
}
