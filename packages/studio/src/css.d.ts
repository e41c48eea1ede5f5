/** Style sheets are imported for their effect on the page only. */
declare module '*.css';
