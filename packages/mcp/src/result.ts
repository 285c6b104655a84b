import type { CallToolResult } from '@modelcontextprotocol/server';
import { beginningOf, fitted, share } from './size.ts';
import type { Told } from './tool.ts';

/** The result within what a model can take. */
export function resultOf({ data, text, pieces, rest, whole }: Told): CallToolResult {
  const { data: shown, cut } = fitted(data, pieces);
  const words = beginningOf(text, share.text);
  const isCut = cut.length > 0 || words.length < text.length;
  const where = [
    cut.length > 0 && `Cut to fit: ${cut.join(', ')}.`,
    rest,
    whole && `The whole is the resource ${whole}.`,
  ];
  return {
    content: [{ type: 'text', text: [words, ...(isCut ? where.filter(Boolean) : [])].join('\n') }],
    structuredContent: {
      ...shown,
      ...(cut.length > 0 && { cut: [...new Set([...((data as { cut?: string[] }).cut ?? []), ...cut])] }),
    },
  };
}
