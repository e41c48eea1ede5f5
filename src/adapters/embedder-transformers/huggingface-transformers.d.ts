/** What this adapter needs of the package: its own types would come only with the package, which is optional. */
declare module '@huggingface/transformers' {
  export function pipeline(
    task: 'feature-extraction',
    folder: string,
    options: {
      readonly local_files_only: true;
      readonly device: 'cpu';
      readonly dtype: string;
      readonly subfolder: string;
    },
  ): Promise<
    (
      texts: string[],
      options: { readonly pooling: 'mean' | 'cls' },
    ) => Promise<{ readonly dims: readonly number[]; readonly data: ArrayLike<number> }>
  >;
}
