import { Button } from '../../ui/Button.tsx';
import { Note } from '../../ui/States.tsx';
import { Time } from '../../ui/Values.tsx';
import { type Field, fieldWords, type Policy, type PolicyForm, ruleText } from './policy-form.ts';

interface ConflictProps {
  policy: Policy;
  theirs: PolicyForm;
  edits: Partial<PolicyForm>;
  keep: () => void;
  drop: () => void;
}

/** Somebody changed the policy while it was edited here: both are shown, and nothing typed is lost. */
export function Conflict({ policy, theirs, edits, keep, drop }: ConflictProps) {
  const mine = { ...theirs, ...edits };
  return (
    <Note kind="warn">
      <div role="alert">
        <p className="font-medium">These rules were changed meanwhile, on another screen or by a program.</p>
        {policy.updatedAt && (
          <p>
            Version {policy.version} came <Time at={policy.updatedAt} />. Nothing of yours is saved or lost.
          </p>
        )}
      </div>
      <table className="mt-3 w-full max-w-lg text-left">
        <thead className="text-soft">
          <tr>
            <th scope="col" className="py-1 pr-3 font-medium">
              Rule
            </th>
            <th scope="col" className="py-1 pr-3 font-medium">
              Theirs
            </th>
            <th scope="col" className="py-1 font-medium">
              Yours
            </th>
          </tr>
        </thead>
        <tbody>
          {(Object.keys(edits) as Field[]).map((field) => (
            <tr key={field} className="align-top">
              <th scope="row" className="py-1 pr-3 font-normal">
                {fieldWords[field]}
              </th>
              <td className="py-1 pr-3">{ruleText(theirs, field)}</td>
              <td className="py-1 font-medium">{ruleText(mine, field)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-1 text-soft">All other rules below are theirs already.</p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button onClick={keep}>Keep mine to save again</Button>
        <Button onClick={drop}>Take theirs</Button>
      </div>
    </Note>
  );
}
