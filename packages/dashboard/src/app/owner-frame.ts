/** What stands around the pages of an owner, to be loaded in one piece. */
export { OwnerHead } from './OwnerHead.tsx';
export { Sidebar } from './Sidebar.tsx';
