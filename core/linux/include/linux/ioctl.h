/* stub: the tree's uapi headers name ioctls, nothing calls them. */
