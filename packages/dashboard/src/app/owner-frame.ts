/** What stands around the pages of an owner, to be loaded in one piece. */
import '../api/hear-tabs.ts';

export { OwnerHead } from './OwnerHead.tsx';
export { Sidebar } from './Sidebar.tsx';
