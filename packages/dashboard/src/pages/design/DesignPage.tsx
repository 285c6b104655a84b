import { Page } from '../../ui/Layout.tsx';
import { ActionExamples } from './ActionExamples.tsx';
import { ContentExamples } from './ContentExamples.tsx';
import { FieldExamples } from './FieldExamples.tsx';
import { StateExamples } from './StateExamples.tsx';
import { Tokens } from './Tokens.tsx';

/** Every building block of the pages, alive. docs/design.md has the rules. */
export function DesignPage() {
  return (
    <Page
      title="Design"
      lead="What the pages are made of. The rules and the reasons are in docs/design.md; switch the theme and the width to see the rest."
    >
      <Tokens />
      <ActionExamples />
      <FieldExamples />
      <StateExamples />
      <ContentExamples />
    </Page>
  );
}
