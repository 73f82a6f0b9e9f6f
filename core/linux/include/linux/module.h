/* stub: nothing is a module here. */
#include <linux/export.h>
