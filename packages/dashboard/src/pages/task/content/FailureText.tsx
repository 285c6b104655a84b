import { StrangerText } from '../../../ui/Values.tsx';
import { LongText } from '../LongText.tsx';
import { isTrace } from './kind.ts';

/** Why something failed: its first line in words, the stack behind it in monospace. */
export function FailureText({ text }: { text: string }) {
  if (!isTrace(text)) return <StrangerText text={text} />;
  const end = text.indexOf('\n');
  return (
    <>
      <StrangerText text={text.slice(0, end)} />
      <div className="mt-2">
        <LongText text={text.slice(end + 1)} name="stack.txt" mono />
      </div>
    </>
  );
}
