/** Why a pull request could not be opened, in words for the buyer. */
export const pullRequestFailures = {
  no_changes: 'the delivery changes no file of the repository',
  left_out:
    'the delivery changes only what a pull request leaves out: files in submodules, files of Git LFS or not in the encoding that .gitattributes name, workflows, and links that lead out',
  too_large: 'the delivery changes more bytes than one pull request takes',
  too_many_files: 'the delivery changes more files than one pull request takes',
  unnameable: 'it changes a file whose name is not UTF-8, which forges do not take',
  not_compared: 'the delivery could not be compared with the repository',
  not_connected: 'no account at the forge is connected',
  token_refused: 'the forge refused the token; connect again',
  not_permitted: 'the account at the forge or its token may not do that',
  not_found: 'the forge does not show the repository or the commit to the account',
  refused: 'the forge refused the change',
  unreachable: 'the forge did not take it for a day',
  lost: 'the changed files have been lost',
} as const;

export type PullRequestReason = keyof typeof pullRequestFailures;
export const pullRequestReasons = Object.keys(pullRequestFailures) as [PullRequestReason, ...PullRequestReason[]];
