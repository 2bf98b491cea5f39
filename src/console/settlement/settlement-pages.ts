// The pages of settlement, in one module that is loaded with the first of them.
import { csv, xlsx } from './export.ts'
import { file, removal, remove } from './file.ts'
import { files } from './files.ts'
import { month } from './month.ts'
import { entriesOf } from './of-payment.ts'
import { upload, uploadForm } from './upload.ts'

export const SETTLEMENT_PAGES = {
  entriesOf,
  routes: { ...{ month, csv, xlsx, files, file, removal, remove }, ...{ uploadForm, upload } },
}
