export const ecosystems = ['python', 'javascript', 'typescript', 'go', 'rust', 'c', 'java', 'shell'] as const;
export type Ecosystem = (typeof ecosystems)[number];
